package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/urfave/cli/v2"
)

// completeFlag is the option with which a shell asks the program for completions.
const completeFlag = "--generate-bash-completion"

// shells lists the shells that the command `completion` supports.
var shells = []string{"bash", "zsh", "fish"}

// bashCompletion is a bash script that asks the program for completions. If the current word begins
// with a dash, the script sends this word to the program, which then answers with options.
// Otherwise the program answers with commands. If the program has no answer, the shell offers file
// names.
const bashCompletion = `_smlm_exp() {
	local cur=${COMP_WORDS[COMP_CWORD]} words i
	words=("${COMP_WORDS[@]:0:COMP_CWORD}")
	if [[ $cur == -* ]]; then words+=("$cur"); fi
	COMPREPLY=()
	while IFS= read -r i; do COMPREPLY+=("$i"); done < <(
		compgen -W "$("${words[@]}" ` + completeFlag + ` 2>/dev/null)" -- "$cur")
}
complete -o default -F _smlm_exp smlm-exp
`

// completionCommand returns the command `completion`. program returns a description of all
// commands.
func completionCommand(e *env, program func() *cli.App) *cli.Command {
	return leaf(&cli.Command{
		Name:      "completion",
		Usage:     "print a script that completes commands and options in bash, zsh or fish",
		ArgsUsage: "SHELL",
		Description: describe("The script completes commands and options, and file names elsewhere. For bash, "+
			"add the line below to ~/.bashrc. For zsh, add it to ~/.zshrc after compinit, with zsh in place "+
			"of bash. For fish, run `smlm-exp completion fish > ~/.config/fish/completions/smlm-exp.fish`.",
			`eval "$(smlm-exp completion bash)"`, userr.OK, userr.BadInput),
		Action: action(func(_ context.Context, args []string) error {
			if err := known("the shell", shells, args[0]); err != nil {
				return err
			}
			return completion(e.stdout, args[0], program())
		}),
	})
}

func completion(w io.Writer, shell string, program *cli.App) error {
	script := bashCompletion
	switch shell {
	case "zsh":
		script = "autoload -U +X bashcompinit && bashcompinit\n" + script
	case "fish":
		var err error
		if script, err = program.ToFishCompletion(); err != nil {
			return fmt.Errorf("writing the completion for fish: %w", err)
		}
	}
	_, err := io.WriteString(w, script)
	return err
}
