package main

import (
	"fmt"

	"github.com/urfave/cli/v2"
)

// completions are the scripts that make a shell ask this program for completions, by its name.
var completions = map[string]string{
	"bash": `_openclaw() {
  local words
  words=$("${COMP_WORDS[@]:0:$COMP_CWORD}" --generate-bash-completion 2>/dev/null)
  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _openclaw openclaw
`,
	"zsh": `#compdef openclaw
_openclaw() {
  local -a words_
  words_=("${(@f)$(${words[1,CURRENT-1]} --generate-bash-completion 2>/dev/null)}")
  compadd -- $words_
}
compdef _openclaw openclaw
`,
	"fish": `complete -c openclaw -f -a '(set -l w (commandline -opc); $w --generate-bash-completion 2>/dev/null)'
`,
}

func completionCommand(std streams) *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print the completion script for a shell: bash, zsh or fish",
		UsageText: "openclaw completion bash|zsh|fish\n\nEXAMPLE\n   source <(openclaw completion bash)",
		BashComplete: func(*cli.Context) {
			fmt.Fprintln(std.out, "bash\nzsh\nfish")
		},
		Action: func(c *cli.Context) error {
			script, ok := completions[c.Args().First()]
			if !ok || c.NArg() != 1 {
				return fmt.Errorf("completion: name one shell: bash, zsh or fish")
			}
			_, err := fmt.Fprint(std.out, script)
			return err
		},
	}
}
