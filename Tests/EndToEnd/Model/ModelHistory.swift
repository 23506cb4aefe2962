/// A sequence of steps in a fresh world, and the shortest one that fails like a long one.
enum ModelHistory {
    struct Failure {
        /// The index of the step after which program and model differ.
        let step: Int
        let differences: String
        let transcript: String
    }

    /// - Returns: where the program and the model first differ; nil where they never do.
    static func failure(of steps: [ModelStep], seed: Int) throws -> Failure? {
        let world = try ModelWorld(seed: seed)
        for (index, step) in steps.enumerated() {
            do {
                try world.perform(step)
            } catch let error as ModelDisagreement {
                return Failure(step: index, differences: error.description, transcript: world.transcript)
            }
        }
        return nil
    }

    /// Leaves out steps, many at a time and then single ones, as long as what is left fails.
    ///
    /// - Returns: what is left, with how it fails.
    static func shrink(_ steps: [ModelStep], _ failure: Failure, seed: Int) throws -> String {
        var (steps, failure) = (steps, failure)
        var size = steps.count / 2
        var attempts = 0
        while size > 0, attempts < 120 {
            var end = steps.count
            while end > 0, attempts < 120 {
                attempts += 1
                let start = max(0, end - size)
                var fewer = steps
                fewer.removeSubrange(start..<end)
                if let found = try Self.failure(of: fewer, seed: seed) {
                    (steps, failure) = (Array(fewer[...found.step]), found)
                }
                end = min(start, steps.count)
            }
            size /= 2
        }
        let list = steps.map { "    \($0)," }.joined(separator: "\n")
        return "\(list)\n\(failure.differences)\n\(failure.transcript)"
    }
}
