/// Something that places programs on machines, restarts them and limits how many there are.
package enum ShardEngine: String, CaseIterable, Sendable {
    case slurm, kubernetes, parallel
}

/// What an engine has to know.
package struct EngineSettings: Sendable {
    /// The folder with the shards, absolute, the same on all machines.
    package var folder: String
    /// The catalog's file, on this machine.
    package var database: String
    /// The program, absolute.
    package var program: String
    /// How many shards there are.
    package var count: Int
    /// How many run at a time; nil: as many as the engine likes.
    package var atOnce: Int?
    /// The most tasks that an array may have.
    package var largestArray: Int?
    /// Of Kubernetes: the image with the program, and `CLAIM:PATH`, the volume that all machines have and where.
    package var image: String?
    package var volume: String?

    package init(
        folder: String, database: String, program: String, count: Int, atOnce: Int? = nil, largestArray: Int? = nil,
        image: String? = nil, volume: String? = nil
    ) {
        self.folder = folder
        self.database = database
        self.program = program
        self.count = count
        self.atOnce = atOnce
        self.largestArray = largestArray
        self.image = image
        self.volume = volume
    }
}

/// A file for an engine, in the folder with the shards.
package struct EngineFile: Sendable, Hashable {
    package let name: String
    package let text: String
}

extension ShardEngine {
    package func files(_ settings: EngineSettings) -> [EngineFile] {
        switch self {
        case .slurm: [settings.slurmArray, settings.slurmMerge]
        case .kubernetes: [settings.kubernetesJob]
        case .parallel: [settings.parallelScript]
        }
    }
}

extension EngineSettings {
    /// A word for sh(1).
    private func quoted(_ text: String) -> String {
        "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    }

    private var mergeLine: String {
        "\(quoted(program)) merge \(quoted(folder)) --database \(quoted(database))"
    }

    // MARK: Slurm

    /// A task takes shards as far apart as the array is long, so that any number of shards fits into it.
    fileprivate var slurmArray: EngineFile {
        let tasks = min(count, largestArray ?? count)
        let limit = atOnce.map { "%\($0)" } ?? ""
        return EngineFile(
            name: "array.sbatch",
            text: """
                #!/bin/sh
                #SBATCH --job-name=runner-shards
                #SBATCH --array=0-\(tasks - 1)\(limit)
                #SBATCH --requeue
                #SBATCH --open-mode=append
                #SBATCH --signal=TERM@120
                #SBATCH --output="\(slurmName)/%4a.log"
                # Two minutes before the time limit the step gets SIGTERM, leaves how far it is, and ends with 1. What is cut,
                # or fails on this machine, is queued again, three times at most; it goes on from there.
                worst=0
                shard=$SLURM_ARRAY_TASK_ID
                while [ "$shard" -lt \(count) ]; do
                    srun --kill-on-bad-exit=0 \(quoted(program)) shard run \(quoted(folder))/"$(printf %04d "$shard")".shard
                    code=$?
                    [ "$code" -le "$worst" ] || worst=$code
                    # Cut: there is no time for another.
                    [ "$code" -ne 1 ] || break
                    shard=$((shard + \(tasks)))
                done
                case $worst in
                1 | 2 | 75)
                    # One that a person cancels is not running any more.
                    if [ "${SLURM_RESTART_COUNT:-0}" -lt 3 ] && [ "$(squeue -h -j "$SLURM_JOB_ID" -o %T)" = RUNNING ]; then
                        scontrol requeue "$SLURM_JOB_ID"
                    fi
                    ;;
                esac
                exit "$worst"

                """)
    }

    /// `%` begins a pattern in the name of an output.
    private var slurmName: String {
        folder.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%%")
    }

    fileprivate var slurmMerge: EngineFile {
        EngineFile(
            name: "merge.sbatch",
            text: """
                #!/bin/sh
                #SBATCH --job-name=runner-merge
                #SBATCH --output="\(slurmName)/merge.log"
                exec \(mergeLine)

                """)
    }

    // MARK: GNU parallel

    fileprivate var parallelScript: EngineFile {
        let limit = atOnce.map { " --jobs \($0)" } ?? ""
        return EngineFile(
            name: "parallel.sh",
            text: """
                #!/bin/sh
                # RUNNER_HOSTS names a file with a line a machine, as --sshloginfile of parallel(1) takes it, such as
                # 8/user@node1 for eight at a time; without it everything runs here.
                cd \(quoted(folder)) || exit 2
                parallel --will-cite${RUNNER_HOSTS:+ --sshloginfile "$RUNNER_HOSTS"}\(limit) --retries 3 \\
                    --joblog joblog --resume-failed \(quoted("\(quoted(program)) shard run"))' {}' ::: \(quoted(folder))/*.shard
                exec \(mergeLine)

                """)
    }

    // MARK: Kubernetes

    fileprivate var kubernetesJob: EngineFile {
        let parts = (volume ?? "runner:\(folder)").split(separator: ":", maxSplits: 1).map(String.init)
        let (claim, path) = (parts[0], parts.count > 1 ? parts[1] : folder)
        return EngineFile(
            name: "job.yaml",
            text: """
                apiVersion: batch/v1
                kind: Job
                metadata:
                  generateName: runner-shards-
                spec:
                  completionMode: Indexed
                  completions: \(count)
                  parallelism: \(min(count, atOnce ?? count))
                  backoffLimitPerIndex: 3
                  maxFailedIndexes: \(count)
                  podFailurePolicy:
                    rules:
                      - action: Ignore
                        onPodConditions:
                          - type: DisruptionTarget
                      - action: FailJob
                        onExitCodes:
                          operator: In
                          values: [64, 78]
                  template:
                    spec:
                      restartPolicy: Never
                      terminationGracePeriodSeconds: 120
                      containers:
                        - name: runner
                          image: \(quotedYAML(image ?? "runner"))
                          command:
                            - /bin/sh
                            - -c
                            - exec runner shard run "$0/$(printf %04d "$JOB_COMPLETION_INDEX").shard"
                            - \(quotedYAML(folder))
                          env:
                            - name: TMPDIR
                              value: /scratch
                            - name: NODE_NAME
                              valueFrom:
                                fieldRef:
                                  fieldPath: spec.nodeName
                          volumeMounts:
                            - name: shared
                              mountPath: \(quotedYAML(path))
                            - name: scratch
                              mountPath: /scratch
                      volumes:
                        - name: shared
                          persistentVolumeClaim:
                            claimName: \(quotedYAML(claim))
                        - name: scratch
                          emptyDir: {}

                """)
    }

    private func quotedYAML(_ text: String) -> String {
        "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'"
    }
}
