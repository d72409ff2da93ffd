/**
 * What a shell has to know in order to complete `lanreach`. It is little, because each script asks the program itself:
 * `lanreach complete -- <words>`, of which the last one is being typed. The answer has one candidate a line, a tab, and
 * what it is for; the status is FILES_STATUS where a file is expected.
 */

/** Ends `lanreach complete` where the shell completes the names of files by itself. */
export const FILES_STATUS = 10;

/**
 * bash splits words at colons, which MAC addresses and ids of agents have. So the words are put together again, and what
 * stands before the last colon, which is on the line already, is not repeated in the answer.
 */
const BASH = String.raw`_lanreach() {
  local i word answer status candidate
  local -a words=()
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${'$'}{COMP_WORDS[i]//\\/}
    if ((${'$'}{#words[@]} > 0)) && [[ $word == :* || ${'$'}{words[-1]} == *: ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
  done
  local typed=${'$'}{words[-1]}
  local before=${'$'}{typed%"${'$'}{typed##*:}"}
  answer=$("$1" complete -- "${'$'}{words[@]}" 2>/dev/null)
  status=$?
  COMPREPLY=()
  ((status == ${FILES_STATUS})) && compopt -o default && return
  while IFS=$'\t' read -r candidate _; do
    [[ -n $candidate && $candidate == "$typed"* ]] && COMPREPLY+=("$(printf '%q' "${'$'}{candidate#"$before"}")")
  done <<<"$answer"
}
complete -F _lanreach lanreach
`;

const ZSH = String.raw`#compdef lanreach
_lanreach() {
  local answer line
  local -a candidates shown
  answer=$("${'$'}{words[1]}" complete -- "${'$'}{(@Q)words[2,CURRENT]}" 2>/dev/null)
  (($? == ${FILES_STATUS})) && { _files; return }
  for line in "${'$'}{(@f)answer}"; do
    [[ -n $line ]] || continue
    candidates+=("${'$'}{line%%$'\t'*}")
    shown+=("${'$'}{line/$'\t'/  }")
  done
  compadd -l -d shown -a candidates
}
compdef _lanreach lanreach
`;

const FISH = `function __lanreach_complete
    set -l words (commandline -opc) (commandline -ct)
    $words[1] complete -- $words[2..] 2>/dev/null
    test $status -eq ${FILES_STATUS}; and __fish_complete_path (commandline -ct)
end
complete -c lanreach -f -a '(__lanreach_complete)'
`;

export const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const;
