package cli

import (
	"regexp"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/urfave/cli/v2"
)

// arrange checks the words of a command line and puts options before arguments. The library
// urfave/cli stops looking for options at the first argument, but `run experiments.toml --threads
// 2` must mean the same as `run --threads 2 experiments.toml`. For an unknown command or option,
// the error suggests the nearest known one.
func arrange(app *cli.App, args []string) ([]string, error) {
	if len(args) == 0 {
		return []string{app.Name}, nil
	}
	out, rest := []string{app.Name}, args[1:]
	commands, flags, path := app.Commands, []cli.Flag(nil), app.Name
	for len(commands) > 0 && len(rest) > 0 {
		word := rest[0]
		if word == "--help" || word == "-h" {
			return append(out, "--help"), nil
		}
		if word == "help" { // `help run` means `run --help`
			return arrange(app, append(append([]string{app.Name}, rest[1:]...), "--help"))
		}
		if word == "--version" && path == app.Name {
			word = "version"
		}
		i := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(word) })
		if i < 0 {
			names := lists.Map(commands, func(c *cli.Command) string { return c.Name })
			return nil, unknown("command", word, path, names)
		}
		out, rest = append(out, commands[i].Name), rest[1:]
		path += " " + commands[i].Name
		commands, flags = commands[i].Subcommands, commands[i].Flags
	}
	if len(commands) > 0 {
		return append(out, "--help"), nil
	}
	var options, arguments []string
	for len(rest) > 0 {
		word := rest[0]
		rest = rest[1:]
		if word == "--" {
			arguments = append(arguments, rest...)
			break
		}
		if !strings.HasPrefix(word, "-") || word == "-" {
			arguments = append(arguments, word)
			continue
		}
		name, value, hasValue := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if name == "help" || name == "h" {
			return append(out, "--help"), nil
		}
		i := slices.IndexFunc(flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
		if i < 0 {
			return nil, unknown("option", "--"+name, path, shown(flags))
		}
		options = append(options, word)
		if _, isBool := flags[i].(*cli.BoolFlag); isBool {
			continue
		}
		if !hasValue {
			if len(rest) == 0 {
				return nil, userr.New(userr.BadInput, "--%s needs a value: see `%s --help`", name, path)
			}
			value, rest = rest[0], rest[1:]
			options = append(options, value)
		}
		if err := named(flags[i], name, value, path); err != nil {
			return nil, err
		}
	}
	out = append(out, options...)
	return append(append(out, "--"), arguments...), nil
}

// placeholder matches the name, in backquotes, of a flag's value in the flag's usage text. An
// example of such a name is FILE.
var placeholder = regexp.MustCompile("`([^`]+)`")

// The function named returns an error if the value of an option is "". Commands take "" as if the
// option were not given. Therefore --workspace "$WS" with an unset variable would silently choose
// the default workspace. Only options whose usage text calls the value TEXT may be empty. The flag
// parser already rejects empty numbers.
func named(flag cli.Flag, name, value, path string) error {
	var usage string
	switch f := flag.(type) {
	case *cli.StringFlag:
		usage = f.Usage
	case *cli.StringSliceFlag:
		usage = f.Usage
	}
	called := placeholder.FindStringSubmatch(usage)
	if value != "" || called == nil || called[1] == "TEXT" {
		return nil
	}
	return userr.New(userr.BadInput, "--%s is empty: give its %s, or leave the option out, see `%s --help`", name,
		called[1], path)
}

// The function shown returns the names of the options that the help shows.
func shown(flags []cli.Flag) (names []string) {
	for _, f := range flags {
		if v, ok := f.(cli.VisibleFlag); !ok || v.IsVisible() {
			names = append(names, "--"+f.Names()[0])
		}
	}
	return names
}

// The function unknown returns the error for an unknown command or option. It suggests the nearest
// known one.
func unknown(what, word, path string, known []string) error {
	if len(known) == 0 {
		return userr.New(userr.BadInput, "unknown %s %q: `%s` takes none", what, word, path)
	}
	hint := wording.Suggest(word, known, "use one of "+strings.Join(known, ", "))
	return userr.New(userr.BadInput, "unknown %s %q of `%s`: %s", what, word, path, hint)
}
