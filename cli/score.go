package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/urfave/cli/v2"
)

// scoreOptions are the flags of score. Index 0 is the direction from style 0 to style 1.
type scoreOptions struct {
	sources, outputs []string // two files
	references       []string // two files a reference set, style 0 then style 1; nil: no r-BLEU
	labels           []string // names of the styles
	classifier       string   // stage folder, "": no TST%
	vocab            string   // stage folder
	naturalness      string   // weights file, "": no naturalness
	json             bool
}

func (e *env) scoreCommand() *cli.Command {
	return leaf(&cli.Command{
		Name:  "score",
		Usage: "score anybody's outputs: TST%, BLEU, ROUGE-L, CIDEr, naturalness and signs of collapse",
		Description: describe("Files hold one sentence a line, words separated by spaces; line i of every file belongs together. Give\n"+
			"--source, --output and --reference twice: first the file of style 0 (sources in style 0, what was made of\n"+
			"them), then that of style 1. Further pairs of --reference are further reference sets. Without --reference\n"+
			"there is no r-BLEU, without --classifier no TST%, without --naturalness no naturalness; Mean needs all of\n"+
			"TST%, s-BLEU and naturalness.",
			"smlm-exp score --source test.0.txt --source test.1.txt --output out.0.txt --output out.1.txt --json",
			userr.OK, userr.StageFailed, userr.BadInput, userr.NoTorch, userr.Interrupted),
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "source", Usage: "`FILE` of source sentences; give it twice"},
			&cli.StringSliceFlag{Name: "output", Usage: "`FILE` of outputs for these sources; give it twice"},
			&cli.StringSliceFlag{Name: "reference", Usage: "`FILE` of human rewrites of these sources; give it twice, or 4, 6... times"},
			&cli.StringSliceFlag{Name: "label", Usage: "`NAME` of a style; give it twice (default: 0 and 1)"},
			&cli.StringFlag{Name: "classifier", Usage: "stage `FOLDER` of a trained classifier in a workspace, for TST%"},
			&cli.StringFlag{Name: "vocab", Usage: "stage `FOLDER` of the classifier's vocabulary (default: the one its stage.json names)"},
			&cli.StringFlag{Name: "naturalness", Usage: "`FILE` of unigram weights, for naturalness"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON instead of a table"},
		},
		Action: func(c *cli.Context) error {
			if _, err := arguments(c); err != nil {
				return err
			}
			return e.score(c.Context, scoreOptions{
				sources: c.StringSlice("source"), outputs: c.StringSlice("output"), references: c.StringSlice("reference"),
				labels: c.StringSlice("label"), classifier: c.String("classifier"), vocab: c.String("vocab"),
				naturalness: c.String("naturalness"), json: c.Bool("json"),
			})
		},
	})
}

func (e *env) score(ctx context.Context, o scoreOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	var dirs [2]metrics.Input
	for k := range dirs {
		if err := o.read(&dirs[k], k); err != nil {
			return err
		}
	}
	if o.classifier != "" {
		if err := e.predict(ctx, o, &dirs); err != nil {
			return err
		}
	}
	var nat metrics.Naturalness
	if o.naturalness != "" {
		var err error
		if nat, err = metrics.LoadNaturalness(o.naturalness); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r, err := metrics.Score(dirs, nat)
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(e.stdout, r)
	}
	return report.Score(r).Write(e.stdout, "text")
}

// predict classifies both directions' outputs in one go.
func (e *env) predict(ctx context.Context, o scoreOptions, dirs *[2]metrics.Input) error {
	torch, err := e.needTorch()
	if err != nil {
		return err
	}
	request, err := classifyRequest(o.classifier, o.vocab)
	if err != nil {
		return err
	}
	n := len(dirs[0].Output)
	request.Sentences = append(append([][]string{}, dirs[0].Output...), dirs[1].Output...)
	styles, err := torch.Classify(ctx, request)
	if err != nil {
		return err
	}
	dirs[0].Predicted, dirs[1].Predicted = styles[:n], styles[n:]
	id := filepath.Base(filepath.Clean(o.classifier))
	name := id[:min(12, len(id))]
	for k := range dirs {
		dirs[k].Classifier = name
	}
	return nil
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	return nil
}
