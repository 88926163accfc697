package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/urfave/cli/v2"
)

// manCommand is the command man; all returns the commands of the program.
func manCommand(e *env, all func() []*cli.Command) *cli.Command {
	var dir string
	return leaf(&cli.Command{
		Name:  "man",
		Usage: "write the manual pages, one a command",
		Description: describe("Writes smlm-exp.1 and a page for each command, such as smlm-exp-run.1, into the "+
			"folder --output, which is made.\nBelow a folder man/man1 that `manpath` knows `man smlm-exp-run` finds them.",
			"smlm-exp man --output ~/.local/share/man/man1", userr.OK, userr.StageFailed, userr.BadInput),
		Flags: []cli.Flag{&cli.StringFlag{Name: "output", Usage: "`FOLDER` to write into", Destination: &dir}},
		Action: action(func(context.Context, []string) error {
			if dir == "" {
				return userr.New(userr.BadInput, "--output FOLDER is missing: where to write the pages, see `smlm-exp man --help`")
			}
			if err := makeFolder(dir); err != nil {
				return userr.New(userr.BadInput, "--output: %w", err)
			}
			pages := choices(nil, all())
			for _, page := range pages {
				name := strings.Join(append([]string{"smlm-exp"}, page.words...), "-") + ".1"
				path := filepath.Join(dir, name)
				if err := files.Write(path, func(w io.Writer) error { return write(w, page, pages) }); err != nil {
					return files.Explain("--output", path, err)
				}
			}
			fmt.Fprintf(e.stdout, "%d pages in %s\n", len(pages), dir)
			return nil
		}),
	})
}

// write writes a page; the first of all is the program's own.
func write(w io.Writer, page choice, all []choice) error {
	name := strings.Join(append([]string{"smlm-exp"}, page.words...), "-")
	usage := "style masked language models: from one experiment file to the tables of the paper"
	if page.command != nil {
		usage = page.command.Usage
	}
	var out strings.Builder
	fmt.Fprintf(&out, ".TH %s 1 \"\" smlm-exp\n.SH NAME\n%s \\- %s\n", roff(strings.ToUpper(name)), roff(name), roff(usage))
	call := strings.Join(append([]string{"smlm-exp"}, page.words...), " ")
	switch {
	case page.command == nil || len(page.below) > 0:
		fmt.Fprintf(&out, ".SH SYNOPSIS\n.B %s\n.I COMMAND\n[OPTIONS] [ARGUMENTS]\n.SH COMMANDS\n", roff(call))
		for _, c := range page.below {
			fmt.Fprintf(&out, ".TP\n.B %s\n%s\n", roff(c.Name), roff(c.Usage))
		}
	default:
		fmt.Fprintf(&out, ".SH SYNOPSIS\n.B %s\n[OPTIONS] %s\n", roff(call), roff(page.command.ArgsUsage))
		about, rest, _ := strings.Cut(page.command.Description, "\n\nExample:\n")
		example, status, _ := strings.Cut(rest, "\n\nExit status: ")
		fmt.Fprintf(&out, ".SH DESCRIPTION\n%s\n", roff(about))
		manOptions(&out, page.command)
		fmt.Fprintf(&out, ".SH EXAMPLE\n.EX\n%s\n.EE\n.SH EXIT STATUS\n%s\n", roff(example), roff(status))
	}
	out.WriteString(".SH SEE ALSO\n")
	for i, other := range all {
		if len(other.words) <= 1 && strings.Join(other.words, "") != strings.Join(page.words, "") {
			if i > 0 {
				out.WriteString(" ")
			}
			out.WriteString(roff(strings.Join(append([]string{"smlm-exp"}, other.words...), "-")) + "(1)")
		}
	}
	_, err := io.WriteString(w, out.String()+"\n")
	return err
}

func manOptions(w io.Writer, c *cli.Command) {
	fmt.Fprint(w, ".SH OPTIONS\n")
	for _, f := range c.VisibleFlags() {
		name, usage, _ := strings.Cut(f.String(), "\t")
		fmt.Fprintf(w, ".TP\n.B %s\n%s\n", roff(name), roff(usage))
	}
}

// roff quotes a text for roff: no backslash, hyphen or line that begins with a dot or an apostrophe
// has its meaning there.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
