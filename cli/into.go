package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/urfave/cli/v2"
)

// intoMark is the line of a Markdown file below which all is written by `tables --into`.
const intoMark = "<!-- below this line: smlm-exp tables --into -->"

func intoFlag() cli.Flag {
	return &cli.StringFlag{Name: "into", Usage: "`FILE` of Markdown: the text below its line \"" + intoMark +
		"\", or a new file, gets the command, the commits and machines that ran the stages, and the tables; --format " +
		"does not matter, and examples, whose sentences belong to the data set, come only with --table examples"}
}

// withoutExamples leaves out the table of sentences, which documents must not have by chance: most
// corpora may not be handed on. Those of the demo corpus are anybody's, and stay out all the same.
func withoutExamples(e *Env, tables []*table.Table) []*table.Table {
	kept := lists.Where(tables, func(t *table.Table) bool { return t.Name != "examples" })
	if len(kept) < len(tables) {
		fmt.Fprintln(e.Stderr, "smlm-exp: the examples are left out, as their sentences belong to the data set: add "+
			"--table examples, and the other tables by name, if they may be shown")
	}
	return kept
}

// writeInto writes what ran and its tables below intoMark. What people wrote above it stays.
func writeInto(c *cli.Context, s *Study, tables []*table.Table) error {
	path := c.String("into")
	above, err := aboveMark(path, s.Exp.Name)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString(above + intoMark + "\n\n    " + s.Exp.CommandForOthers() + "\n\n")
	if err := table.MarkdownList(&b, results.Of(s.Plan, s.WS)); err != nil {
		return err
	}
	b.WriteString("\n")
	if err := table.WriteAll(&b, "markdown-document", tables); err != nil {
		return err
	}
	if err := files.WriteBytes(path, b.Bytes()); err != nil {
		return files.Explain("--into", path, err)
	}
	return nil
}

// aboveMark returns what stands above intoMark, a title where there is no file.
func aboveMark(path, title string) (string, error) {
	text, err := files.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "# " + title + "\n\n", nil
	}
	if err != nil {
		return "", files.Explain("--into", path, err)
	}
	above, _, found := strings.Cut(string(text), intoMark)
	if !found {
		return "", userr.New(userr.BadInput, "--into: %q has no line %q: put it where the tables are to begin", path,
			intoMark)
	}
	return above, nil
}
