package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/urfave/cli/v2"
)

// shells are those that completions are written for.
var shells = []string{"bash", "zsh", "fish"}

// completionCommand is the command completion; all returns the commands of the program.
func completionCommand(e *env, all func() []*cli.Command) *cli.Command {
	return leaf(&cli.Command{
		Name:      "completion",
		Usage:     "print the completion of commands and options for bash, zsh or fish",
		ArgsUsage: "SHELL",
		Description: describe("Prints a script for bash, zsh or fish that completes commands and options, and files "+
			"elsewhere. Put the line below\ninto ~/.bashrc; for zsh the same into ~/.zshrc, after compinit; for fish\n"+
			"`smlm-exp completion fish > ~/.config/fish/completions/smlm-exp.fish`.",
			`eval "$(smlm-exp completion bash)"`, userr.OK, userr.BadInput),
		Action: action(func(_ context.Context, args []string) error {
			if err := known("the shell", shells, args[0]); err != nil {
				return err
			}
			return completion(e.stdout, args[0], choices(nil, all()))
		}),
	})
}

// choice is what may come next behind some words of a command line.
type choice struct {
	words   []string // "data", "import"
	command *cli.Command
	below   []*cli.Command
}

// choices lists those of commands and all below them.
func choices(words []string, commands []*cli.Command) []choice {
	out := []choice{{words: words, below: commands}}
	for _, c := range commands {
		deeper := append(words[:len(words):len(words)], c.Name)
		of := choices(deeper, c.Subcommands)
		of[0].command = c
		out = append(out, of...)
	}
	return out
}

// next lists the commands and options that may come behind a choice's words.
func (c choice) next() (words []string) {
	words = lists.Map(c.below, func(below *cli.Command) string { return below.Name })
	if c.command != nil {
		for _, f := range c.command.VisibleFlags() {
			for _, name := range f.Names() {
				if len(name) > 1 {
					words = append(words, "--"+name)
				}
			}
		}
	}
	return lists.AddOnce(words, "--help")
}

func completion(w io.Writer, shell string, all []choice) error {
	var err error
	switch shell {
	case "fish":
		for _, c := range all {
			err = fish(w, c)
		}
	case "zsh":
		if _, err = io.WriteString(w, "autoload -U +X bashcompinit && bashcompinit\n"); err == nil {
			err = bash(w, all)
		}
	default:
		err = bash(w, all)
	}
	return err
}

// bash writes a function that finds the commands among the words before the cursor, and offers what
// may come behind them.
func bash(w io.Writer, all []choice) error {
	var paths, offers strings.Builder
	for _, c := range all {
		path := strings.Join(c.words, " ")
		if path != "" {
			fmt.Fprintf(&paths, "|%q", path)
		}
		fmt.Fprintf(&offers, "\t%q) words=%q ;;\n", path, strings.Join(c.next(), " "))
	}
	_, err := fmt.Fprintf(w, `_smlm_exp() {
	local cur=${COMP_WORDS[COMP_CWORD]} path='' words='' i
	for ((i = 1; i < COMP_CWORD; i++)); do
		case "${path:+$path }${COMP_WORDS[i]}" in
		%s) path=${path:+$path }${COMP_WORDS[i]} ;;
		esac
	done
	case $path in
%s	esac
	COMPREPLY=()
	if [[ $cur == -* || $path != *' '* ]]; then
		while IFS= read -r i; do COMPREPLY+=("$i"); done < <(compgen -W "$words" -- "$cur")
	fi
}
complete -o default -F _smlm_exp smlm-exp
`, strings.TrimPrefix(paths.String(), "|"), offers.String())
	return err
}

// fish writes a line for each word that may come next.
func fish(w io.Writer, c choice) error {
	quote := func(text string) string {
		return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", " ").Replace(text) + "'"
	}
	when := "__fish_use_subcommand"
	if len(c.words) > 0 {
		when = "__fish_seen_subcommand_from " + strings.Join(c.words, "; and __fish_seen_subcommand_from ")
	}
	var out strings.Builder
	for _, below := range c.below {
		condition := when
		if len(c.words) > 0 {
			names := lists.Map(c.below, func(b *cli.Command) string { return b.Name })
			condition += "; and not __fish_seen_subcommand_from " + strings.Join(names, " ")
		}
		fmt.Fprintf(&out, "complete -c smlm-exp -n %s -f -a %s -d %s\n", quote(condition), below.Name, quote(below.Usage))
	}
	if c.command != nil {
		for _, f := range c.command.VisibleFlags() {
			usage, value := "", ""
			if d, ok := f.(cli.DocGenerationFlag); ok {
				usage = strings.ReplaceAll(d.GetUsage(), "`", "")
				if d.TakesValue() {
					value = " -r"
				}
			}
			for _, name := range f.Names() {
				if len(name) > 1 {
					fmt.Fprintf(&out, "complete -c smlm-exp -n %s -l %s%s -d %s\n", quote(when), name, value, quote(usage))
				}
			}
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}
