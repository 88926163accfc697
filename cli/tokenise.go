package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/data"
	"github.com/urfave/cli/v2"
)

// tokeniseOptions holds the flags of `data tokenise`.
type tokeniseOptions struct {
	words  string // autoWords, characterWords or spaceWords
	like   string // folder that `data import` wrote, whose cutting is used; "" means as the field words says
	output string
}

func tokeniseCommand(e *env) *cli.Command {
	o := &tokeniseOptions{}
	return leaf(&cli.Command{
		Name:      "tokenise",
		Usage:     "cut references or outputs into words, line by line, as `data import` does",
		ArgsUsage: "[FILE...]",
		Description: describe("Reads one text per line from the files or standard input. Writes its words in "+
			"lower case, separated by spaces, one line for every line; an empty line stays empty. If a line "+
			"cannot be cut, nothing is written. Metrics compare words as they are, so cut references and "+
			"published outputs as the sources are cut.",
			"smlm-exp data tokenise raw.txt --like ../data/mine \\\n    --output ../data/mine/reference.0.txt",
			userr.OK, userr.StageFailed, userr.BadInput, userr.Interrupted),
		Flags: []cli.Flag{
			&cli.StringFlag{
				Name: "like", Usage: "`FOLDER` of a data set that `data import` wrote: cut texts as it did",
				DefaultText: "as --words says", Destination: &o.like,
			},
			wordsFlag(&o.words),
			&cli.StringFlag{
				Name: "output", Usage: "`FILE` to write; it is written completely or not at all", DefaultText: "standard output",
				Destination: &o.output,
			},
		},
		Action: anyArguments(func(ctx context.Context, command *cli.Command, files []string) error {
			return interrupted(tokenise(ctx, e, o, files), nothing)
		}),
	})
}

func tokenise(ctx context.Context, e *env, o *tokeniseOptions, names []string) error {
	cutting := corpus.Cutting{Characters: o.words == characterWords}
	if o.like != "" {
		var record imported
		if err := files.ReadJSON(filepath.Join(o.like, data.ImportRecord), &record); err != nil {
			return userr.New(userr.BadInput, "--like: %q contains no %s written by `smlm-exp data import`: "+
				"name another folder, or leave --like out", o.like, data.ImportRecord)
		}
		cutting.Characters = record.Characters
	}
	if err := notOver(o.output, names...); err != nil {
		return err
	}
	in, err := openInputs(names, e.stdin)
	if err != nil {
		return err
	}
	defer closeAll(in)
	texts := make([][]string, len(in))
	spacing := &corpus.Spacing{}
	for i := range in {
		if texts[i], err = in[i].texts(ctx); err != nil {
			return err
		}
		for _, text := range texts[i] {
			spacing.Add(text)
		}
	}
	if o.like == "" && o.words == autoWords {
		cutting.Characters = spacing.Without()
	}
	for i, lines := range texts {
		for k, text := range lines {
			if err := ctx.Err(); err != nil {
				return err
			}
			if strings.TrimSpace(text) == "" {
				lines[k] = ""
				continue
			}
			words, err := cutting.Tokenize(text)
			if err != nil {
				return userr.New(userr.BadInput, "%s:%d: %w", in[i].name, k+1, err)
			}
			lines[k] = strings.Join(words, " ")
		}
	}
	write := func(w io.Writer) error {
		out := bufio.NewWriter(w)
		for _, lines := range texts {
			for _, line := range lines {
				_, _ = out.WriteString(line + "\n") // Flush returns the first error
			}
		}
		return out.Flush()
	}
	if o.output != "" {
		if err := files.Write(o.output, write); err != nil {
			return files.NotWritten(o.output, err)
		}
		return nil
	}
	if err := write(e.data()); err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	return nil
}

// texts returns the lines of the input. It returns an error if the lines look like a table.
func (in *lineInput) texts(ctx context.Context) (texts []string, err error) {
	var tabs corpus.Columns
	if err := in.each(func(line string) error {
		tabs.Add(line)
		texts = append(texts, line)
		return ctx.Err()
	}); err != nil {
		return nil, err
	}
	if len(texts) < 2 { // one line is too little to recognise a table, so a tab counts as white space
		return texts, nil
	}
	return texts, tabs.Refuse(in.name, "lines")
}
