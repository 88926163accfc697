package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/urfave/cli/v2"
)

// columns is the width at which help texts are wrapped.
const columns = 80

func init() {
	name := cli.FlagStringer
	// Put the description of an option below its name, so that all descriptions are wrapped at the
	// same width.
	cli.FlagStringer = func(f cli.Flag) string { return strings.Replace(name(f), "\t", "\n", 1) }
	cli.HelpPrinter = func(w io.Writer, text string, of any) {
		cli.HelpPrinterCustom(w, text, of, map[string]any{"wrapAt": func() int { return columns }})
	}
}

// describe builds a command's description from a text, an example, and the exit statuses that the
// command can return.
func describe(text, example string, codes ...userr.Code) string {
	meaning := map[userr.Code]string{
		userr.OK: "0 done", userr.StageFailed: "1 failed", userr.BadInput: "2 bad input or usage",
		userr.NoTorch: "3 libtorch or the device missing", userr.Interrupted: "130 interrupted",
	}
	words := lists.Map(codes, func(c userr.Code) string { return meaning[c] })
	return text + "\n\nExample:\n  " + example + "\n\nExit status: " + strings.Join(words, ", ") + "."
}

// leaf adds what all commands without subcommands have in common.
func leaf(c *cli.Command) *cli.Command {
	c.OnUsageError = usageError
	c.HideHelpCommand = true
	for _, f := range c.Flags {
		if b, ok := f.(*cli.BoolFlag); ok {
			b.DisableDefaultText = true // omits "(default: false)" from the help
		}
	}
	return c
}

// group adds what all commands with subcommands have in common.
func group(c *cli.Command) *cli.Command {
	c.HideHelpCommand = true
	return c
}

// The expression unfit matches the error that package flag returns for a value of the wrong type.
var unfit = regexp.MustCompile(`^invalid (?:boolean )?value (".*") for (?:flag )?-([a-z-]+): `)

// usageError returns a readable error for the mistakes that the function arrange does not find,
// such as a flag value of the wrong type.
func usageError(c *cli.Context, err error, _ bool) error {
	if m := unfit.FindStringSubmatch(err.Error()); m != nil {
		i := slices.IndexFunc(c.Command.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), m[2]) })
		if i >= 0 {
			return userr.New(userr.BadInput, "--%s is %s, but must be %s: see `%s --help`", m[2], m[1],
				wanted(c.Command.Flags[i]), c.Command.HelpName)
		}
	}
	return userr.New(userr.BadInput, "%s: see `%s --help`", strings.TrimSuffix(err.Error(), "."), c.Command.HelpName)
}

// The function wanted describes the values that a flag takes.
func wanted(f cli.Flag) string {
	switch f.(type) {
	case *cli.IntFlag, *cli.IntSliceFlag:
		return "a whole number"
	case *cli.Uint64Flag:
		return fmt.Sprintf("a whole number from 0 to %d", uint64(math.MaxUint64))
	case *cli.Float64Flag:
		return "a number"
	case *cli.BoolFlag:
		return "true or false, or nothing"
	}
	return "another value"
}

// action returns the action of a command that takes exactly the arguments that its ArgsUsage names.
func action(run func(ctx context.Context, args []string) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		args := c.Args().Slice()
		if err := checkArguments(c.Command, args, strings.Fields(c.Command.ArgsUsage)...); err != nil {
			return err
		}
		return run(c.Context, args)
	}
}

// anyArguments returns the action of a command that checks its arguments itself.
func anyArguments(run func(ctx context.Context, command *cli.Command, args []string) error) cli.ActionFunc {
	return func(c *cli.Context) error { return run(c.Context, c.Command, c.Args().Slice()) }
}

// checkArguments checks that there is exactly one argument for each name. The error mentions the
// first missing or unexpected argument.
func checkArguments(command *cli.Command, got []string, names ...string) error {
	call := strings.Join(append([]string{command.HelpName}, names...), " ")
	if len(got) < len(names) {
		return userr.New(userr.BadInput, "%s is missing: `%s`, see `%s --help`", names[len(got)], call, command.HelpName)
	}
	if len(got) > len(names) {
		return userr.New(userr.BadInput, "unexpected argument %q: `%s`, see `%s --help`",
			got[len(names)], call, command.HelpName)
	}
	return nil
}

// The function known returns an error if any value of a flag is not among the given names.
func known(flag string, names []string, values ...string) error {
	for _, v := range values {
		if !slices.Contains(names, v) {
			return userr.New(userr.BadInput, "%s %s is unknown: %s",
				flag, v, wording.Suggest(v, names, "use one of "+strings.Join(names, ", ")))
		}
	}
	return nil
}
