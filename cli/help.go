package cli

import (
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/urfave/cli/v2"
)

// The help templates: what it does, how to call it, an example, options, exit statuses. urfave's own have no room for
// an example.
const (
	appHelp = `{{.Name}}: {{.Usage}}

  {{.UsageText}}

{{.Description}}

Commands:{{range .VisibleCommands}}
  {{printf "%-10s" .Name}} {{.Usage}}{{end}}

` + "`smlm-exp COMMAND --help`" + ` describes one.
`
	commandHelp = `{{.HelpName}}: {{.Usage}}

  {{.HelpName}}{{if .VisibleFlags}} [OPTIONS]{{end}}{{if .ArgsUsage}} {{.ArgsUsage}}{{end}}

{{.Description}}
{{if .VisibleFlags}}
Options:{{range .VisibleFlags}}
  {{.}}{{end}}
{{end}}`
	groupHelp = `{{.HelpName}}: {{.Usage}}

Commands:{{range .VisibleCommands}}
  {{printf "%-10s" .Name}} {{.Usage}}{{end}}
`
)

// describe builds a command's description: the text, an example, and the exit statuses it can end with.
func describe(text, example string, codes ...userr.Code) string {
	meaning := map[userr.Code]string{
		userr.OK: "0 done", userr.StageFailed: "1 failed", userr.BadInput: "2 bad input or usage",
		userr.NoTorch: "3 libtorch or the device missing", userr.Interrupted: "130 interrupted",
	}
	words := make([]string, len(codes))
	for i, c := range codes {
		words[i] = meaning[c]
	}
	return text + "\n\nExample:\n  " + example + "\n\nExit status: " + strings.Join(words, ", ") + "."
}

// leaf completes a command that does something.
func leaf(c *cli.Command) *cli.Command {
	c.CustomHelpTemplate = commandHelp
	c.OnUsageError = usageError
	c.HideHelpCommand = true
	for _, f := range c.Flags {
		if b, ok := f.(*cli.BoolFlag); ok {
			b.DisableDefaultText = true // "(default: false)" says nothing
		}
	}
	return c
}

// arguments returns exactly the named arguments of a command, or says which is missing or too many.
func arguments(c *cli.Context, names ...string) ([]string, error) {
	got := c.Args().Slice()
	if len(got) < len(names) {
		return nil, userr.New(userr.BadInput, "%s is missing: `%s %s`, see `%s --help`", names[len(got)], c.Command.HelpName, strings.Join(names, " "), c.Command.HelpName)
	}
	if len(got) > len(names) {
		return nil, userr.New(userr.BadInput, "unexpected argument %q: `%s %s`, see `%s --help`", got[len(names)], c.Command.HelpName, strings.TrimSpace(strings.Join(names, " ")), c.Command.HelpName)
	}
	return got, nil
}
