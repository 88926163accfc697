// Package measure has the command that scores anybody's outputs from files.
package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/urfave/cli/v2"
)

// options are the flags of score. Index 0 is the direction from style 0 to style 1.
type options struct {
	sources, outputs []string // two files
	against          []string // two files of another system's outputs; nil: compared with none
	references       []string // two files a reference set, style 0 then style 1; nil: no r-BLEU
	labels           []string // names of the styles
	classifier       string   // stage folder, "": no TST%
	lm               string   // stage folder, "": no perplexity
	vocab            string   // stage folder
	naturalness      []string // weights files, the first is part of Mean; nil: no naturalness
	vectors          string   // file, "": no embedding metrics
	wordnet          string   // folder, "": looked for; none: no METEOR
	sentences        string   // file to write each output's figures to, "": none
	devices          string   // of the classifier and the language model, "": auto
	resamples        int
	format           string // of package report, or json
}

// scoreCommand is the command score.
func scoreCommand(e *Env) *cli.Command {
	return Leaf(&cli.Command{
		Name: "score",
		Usage: "score anybody's outputs: TST%, BLEU, METEOR, ROUGE-L, CIDEr, embedding metrics, naturalness, " +
			"perplexity, diversity and signs of collapse",
		Description: describe("Line i of an output file is the rewrite of line i of the source file; style 0 first, "+
			"then style 1. Text is compared as it is: tokenise\n"+
			"outputs, sources and references alike (a warning says where they look different). METEOR needs WordNet "+
			"(Debian: wordnet-base).\n"+
			"With --against a second system is tested against the first: paired bootstrap and approximate "+
			"randomisation.",
			"smlm-exp score --source test.0.txt --source test.1.txt --reference ref.0.txt --reference ref.1.txt "+
				"\\\n    --output out.0.txt --output out.1.txt --json",
			userr.OK, userr.StageFailed, userr.BadInput, userr.NoTorch, userr.Interrupted),
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "source", Usage: "`FILE` of source sentences; give it twice"},
			&cli.StringSliceFlag{Name: "output", Usage: "`FILE` of outputs for these sources; give it twice"},
			&cli.StringSliceFlag{Name: "against", Usage: "`FILE` of another system's outputs; give it twice"},
			&cli.StringSliceFlag{Name: "reference", Usage: "`FILE` of human rewrites of these sources; give it " +
				"twice, or 4, 6... times"},
			&cli.StringSliceFlag{Name: "label", Usage: "`NAME` of a style; give it twice (default: 0 and 1)"},
			&cli.StringFlag{
				Name: "classifier", Usage: "stage `FOLDER` of a trained classifier in a workspace, for TST%",
			},
			&cli.StringFlag{Name: "lm", Usage: "stage `FOLDER` of a trained language model, for perplexity"},
			&cli.StringFlag{
				Name:  "vocab",
				Usage: "stage `FOLDER` of the vocabulary of both (default: the one that their stage.json names)",
			},
			&cli.StringSliceFlag{Name: "naturalness", Usage: "`FILE` of unigram weights, for naturalness; may be " +
				"repeated, the first is part of Mean"},
			&cli.StringFlag{
				Name: "vectors",
				Usage: "`FILE` of word vectors (GloVe, word2vec or fastText as text, .gz too), for the embedding " +
					"metrics",
			},
			&cli.StringFlag{
				Name: "wordnet", Usage: "`FOLDER` of WordNet's database, or none",
				DefaultText: "looked for in the usual places",
			},
			devicesFlag(machine.Auto),
			&cli.StringFlag{
				Name: "sentences", Usage: "`FILE` for what each output contributes to every metric, an object a line",
			},
			&cli.IntFlag{Name: "resamples", Usage: "`N` resamples of intervals and tests", Value: metrics.Resamples},
			&cli.StringFlag{
				Name: "format", Usage: "`FORMAT`: " + strings.Join(table.Formats, ", ") + ", json", Value: "text",
			},
			&cli.BoolFlag{Name: "json", Usage: "the same as --format json"},
		},
		Action: taking(func(c *cli.Context, _ []string) error {
			o := options{
				devices: c.String("devices"), sources: c.StringSlice("source"), outputs: c.StringSlice("output"),
				against: c.StringSlice("against"), references: c.StringSlice("reference"),
				labels: c.StringSlice("label"), classifier: c.String("classifier"), lm: c.String("lm"),
				vocab: c.String("vocab"), naturalness: c.StringSlice("naturalness"), vectors: c.String("vectors"),
				wordnet: c.String("wordnet"), sentences: c.String("sentences"), resamples: c.Int("resamples"),
				format: c.String("format"),
			}
			if c.Bool("json") {
				o.format = "json"
			}
			return score(c.Context, e, o)
		}),
	})
}

func score(ctx context.Context, e *Env, o options) error {
	if err := o.check(); err != nil {
		return err
	}
	read := slices.Concat(o.sources, o.outputs, o.against, o.references, o.naturalness, []string{o.vectors})
	if err := notOver("--sentences", o.sentences, read...); err != nil {
		return err
	}
	var dirs, against [2]metrics.Input
	for k := range dirs {
		if err := o.read(&dirs[k], k); err != nil {
			return err
		}
		if o.against != nil {
			var err error
			against[k] = dirs[k]
			n := len(dirs[k].Source)
			against[k].Output, err = readAligned(corpus.ReadOutputs, o.against[k], o.sources[k], n)
			if err != nil {
				return err
			}
		}
		warnOfTokens(e, &o, &dirs[k], &against[k], k)
	}
	with, err := o.instruments(&dirs, &against)
	if err != nil {
		return err
	}
	if with.METEOR == nil && o.wordnet != noWordNet {
		fmt.Fprintln(e.Stderr, "smlm-exp: METEOR is left out: WordNet is not on this machine; install it (Debian: "+
			"wordnet-base) or name its folder with --wordnet (none: leave METEOR out)")
	}
	r, err := scoreOne(ctx, e, &o, &dirs, with)
	if err != nil {
		return err
	}
	if o.sentences != "" {
		write := func(w io.Writer) error { return metrics.WriteSentences(w, r.Sentences) }
		if err := files.Write(o.sentences, write); err != nil {
			return files.Explain("--sentences", o.sentences, err)
		}
	}
	out := scored{Scores: r, resamples: o.resamples}
	if o.against != nil {
		if out.Against, err = scoreOne(ctx, e, &o, &against, with); err != nil {
			return err
		}
		one := func(s *metrics.Scores) [][2][]metrics.Sentence { return [][2][]metrics.Sentence{s.Sentences} }
		out.Comparison, err = results.CompareUntil(ctx, one(r), one(out.Against), o.resamples)
		if err != nil {
			return err
		}
	}
	if o.format == "json" {
		return writeJSON(e.Stdout, out)
	}
	return table.WriteAll(e.Stdout, o.format, out.tables())
}

// scored is the JSON of score: a report, and where there is another system its report and the
// tests.
type scored struct {
	*metrics.Scores
	Against    *metrics.Scores      `json:"against,omitempty"`
	Comparison []metrics.Comparison `json:"comparison,omitempty"`
	resamples  int                  // of the tests
}

func (s scored) tables() []*table.Table {
	tables := []*table.Table{report.Score(s.Scores)}
	if s.Against != nil {
		var rows []report.SignificanceRow
		for _, c := range s.Comparison {
			rows = append(rows, report.SignificanceRow{
				A: "output", B: "against", Resamples: s.resamples, Comparison: c,
			})
		}
		tables = append(tables, report.Score(s.Against), report.Significance(rows, report.About{}))
		tables[1].Name, tables[1].Title = "score-against", "Scores of the outputs given with --against."
	}
	return tables
}

// scoreOne scores one system.
func scoreOne(ctx context.Context, e *Env,
	o *options,
	dirs *[2]metrics.Input,
	with metrics.Instruments,
) (*metrics.Scores, error) {
	if err := judge(ctx, e, o, dirs); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r, err := metrics.Score(*dirs, with)
	if err != nil {
		return nil, err
	}
	r.Intervals = metrics.Intervals(r.Sentences, o.resamples, metrics.ResampleSeed)
	return r, nil
}
