package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// completionFlag, as the last argument, asks for what could stand in place of the argument before it.
const completionFlag = "--generate-bash-completion"

// completions are the scripts that make a shell ask this program for completions, by its name.
var completions = map[string]string{
	"bash": `_openclaw() {
  local words
  words=$("${COMP_WORDS[@]:0:$((COMP_CWORD + 1))}" --generate-bash-completion 2>/dev/null)
  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _openclaw openclaw
`,
	"zsh": `#compdef openclaw
_openclaw() {
  local -a words_
  words_=("${(@f)$("${(@)words[1,CURRENT]}" --generate-bash-completion 2>/dev/null)}")
  if [[ -n "$words_" ]]; then compadd -- $words_; else _files; fi
}
compdef _openclaw openclaw
`,
	"fish": `complete -c openclaw -a '(set -l w (commandline -opc); set -l t (commandline -ct); $w "$t" --generate-bash-completion 2>/dev/null)'
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

// completionAsked tells whether a shell asks for completions. It is asked before anything is dispatched: while somebody is
// still typing a command, no part of it may run.
func completionAsked(args []string) bool {
	return len(args) > 1 && args[len(args)-1] == completionFlag
}

// complete prints, one a line, what the last of words could become, and what could follow it when it is the name of a
// command. words are the arguments without the name of the program and the completion flag. It only reads the descriptions
// of the commands.
func complete(w io.Writer, words []string) error {
	typed := ""
	if len(words) > 0 {
		words, typed = words[:len(words)-1], words[len(words)-1]
	}
	found := slices.DeleteFunc(candidates(words, typed), func(candidate string) bool {
		return !strings.HasPrefix(candidate, typed)
	})
	if slices.Contains(found, typed) && !isOption(typed) {
		found = append(found, candidates(append(words[:len(words):len(words)], typed), "")...)
	}
	for _, candidate := range found {
		if _, err := fmt.Fprintln(w, candidate); err != nil {
			return err
		}
	}
	return nil
}

// candidates lists what may follow the words before.
func candidates(before []string, typed string) []string {
	answers := &bytes.Buffer{} // of the commands that list their operands
	app := newApp(streams{in: answers, out: answers, err: io.Discard})
	at := level{flags: app.Flags, commands: app.Commands}
	for len(before) > 0 {
		word := before[0]
		before = before[1:]
		switch {
		case word == "--":
			return nil // operands follow, which are not this program's
		case isOption(word):
			name, _, hasValue := strings.Cut(strings.TrimLeft(word, "-"), "=")
			if isSwitch, known := flagKind(at.flags, name); !known || isSwitch || hasValue {
				continue
			}
			if len(before) == 0 {
				return nil // the value of an option
			}
			before = before[1:]
		default:
			if !at.enter(word) {
				return nil
			}
		}
	}
	if strings.HasPrefix(typed, "-") {
		return at.options()
	}
	return at.words(app, answers)
}

// level is where in the tree of commands a command line has got to.
type level struct {
	command  *cli.Command // nil at the top
	flags    []cli.Flag
	commands []*cli.Command
	operands int
}

// enter takes a word that is no option; false when nothing that follows it can be completed.
func (l *level) enter(word string) bool {
	for _, c := range l.commands {
		if c.HasName(word) {
			*l = level{command: c, flags: c.Flags, commands: c.Subcommands}
			return true
		}
	}
	l.operands++
	return l.command != nil && l.command.BashComplete != nil // those commands take options behind their operands
}

func (l *level) words(app *cli.App, answers *bytes.Buffer) []string {
	if l.operands > 0 {
		return nil
	}
	if l.command != nil && l.command.BashComplete != nil {
		l.command.BashComplete(cli.NewContext(app, flag.NewFlagSet("", flag.ContinueOnError), nil))
		return strings.Fields(answers.String())
	}
	var names []string
	for _, c := range l.commands {
		names = append(names, c.Name)
	}
	return names
}

func (l *level) options() []string {
	names := []string{"--help"}
	for _, f := range l.flags {
		if name := f.Names()[0]; name != "help" {
			names = append(names, "--"+name)
		}
	}
	return names
}

func isOption(word string) bool { return len(word) > 1 && word[0] == '-' }
