/// The script of a shell, by the shell's name. It asks the program on the command line for the words, so that it never
/// knows other flags than the program, and adds the files itself.
enum CompletionScript: String, CaseIterable, Sendable {
    case bash, zsh

    /// To be sourced, or put where the shell looks for completions.
    var text: String {
        switch self {
        case .bash: Self.bashText
        case .zsh: Self.zshText
        }
    }

    /// bash splits words at the signs of COMP_WORDBREAKS, as in `--format=json`: they are put together again, and of
    /// each answer only what is behind the last split is given back.
    private static let bashText = #"""
        # Completion of runner for bash, as `runner completions bash` prints it.
        _runner() {
            local rest=${COMP_LINE:0:COMP_POINT} blank word typed raw head cut flag files help i
            local -a words=() found=()
            for ((i = 0; i <= COMP_CWORD; i++)); do
                blank=${rest%%[![:blank:]]*}
                rest=${rest#"$blank"}
                word=${COMP_WORDS[i]}
                # What is behind the cursor does not count.
                ((${#word} <= ${#rest})) || word=$rest
                rest=${rest#"$word"}
                if ((i == 0)) || [[ -n $blank ]]; then words+=("$word"); else words[-1]+=$word; fi
            done
            raw=${words[-1]}
            for i in "${!words[@]}"; do words[i]=${words[i]//[\"\'\\]/}; done
            typed=${words[-1]}
            # Nothing is split behind a quote.
            head=${raw%%[\"\']*}
            cut=
            if [[ $COMP_WORDBREAKS == *=* && $head == *=* ]]; then cut=${head%"${head##*=}"}; fi
            if [[ $COMP_WORDBREAKS == *:* && $head == *:* ]]; then
                word=${head%"${head##*:}"}
                ((${#word} <= ${#cut})) || cut=$word
            fi
            COMPREPLY=()
            {
                read -r files
                while IFS=$'\t' read -r word help; do
                    word=${word#"$cut"}
                    if [[ $files == none ]]; then printf -v word %q "$word"; fi
                    COMPREPLY+=("$word")
                done
            } < <("${words[0]/#\~\//$HOME/}" completions bash -- "${words[@]:1}" 2>/dev/null)
            if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi
            [[ $files == jobs || $files == all ]] || return 0
            # The flag in front is no part of the file's name.
            flag=
            if [[ $typed == -*=* ]]; then flag=${typed%%=*}=; fi
            mapfile -t found < <(compgen -f -- "${typed#"$flag"}")
            for word in "${found[@]}"; do
                if [[ $files == all || $word == *.yaml || $word == *.yml || -d ${word/#\~\//$HOME/} ]]; then
                    word=$flag$word
                    COMPREPLY+=("${word#"$cut"}")
                fi
            done
            compopt -o filenames
        }
        complete -F _runner runner

        """#

    private static let zshText = #"""
        #compdef runner
        # Completion of runner for zsh, as `runner completions zsh` prints it.
        _runner() {
            local program=${${(Q)words[1]}/#\~\//$HOME/} typed=${(Q)PREFIX} line word files
            local -a plain open
            for line in ${(f)"$($program completions zsh -- "${(@Q)words[2,CURRENT-1]}" "$typed" 2>/dev/null)"}; do
                if [[ -z $files ]]; then
                    files=$line
                    continue
                fi
                word=${line%%$'\t'*}
                line=${word//:/\\:}:${line#*$'\t'}
                if [[ $word == *= ]]; then open+=("$line"); else plain+=("$line"); fi
            done
            local found=1
            _describe -t words 'runner' plain -- open -S '' && found=0
            [[ $typed != -*=* ]] || compset -P '[^=]##='
            case $files in
                all) _files && found=0 ;;
                jobs)
                    # Unlike _files these offer nothing else where nothing fits.
                    _path_files -g '*.(yaml|yml)(-.)' && found=0
                    _path_files -/ && found=0
                    ;;
            esac
            return found
        }
        if [[ $funcstack[1] == _runner ]]; then _runner "$@"; else compdef _runner runner; fi

        """#
}
