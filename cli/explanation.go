package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/urfave/cli/v2"
)

// explanation is what `mask explain` explains by.
type explanation struct {
	study  *Study
	asked  experiment.Experiment // without the overrides that have its methods in the plan
	point  *plan.PointStages
	labels [2]string
	from   int                // style of the sentences, below 0: what the model takes each for
	by     rewrite.Explaining // the models, and the policies of their methods
	packed *rewrite.Pack      // nil: of a study
}

// open loads the models.
func (x *explanation) open(ctx context.Context, torch rewrite.Opener) (stages.ExplainSession, error) {
	if x.packed != nil {
		torch = x.packed.Within(torch)
	}
	return torch.OpenExplain(ctx, x.by.Request)
}

// explainPacked is newExplanation of a packed model, which has one method.
func explainPacked(c *cli.Context) (*explanation, error) {
	p, err := openPacked(c)
	if err != nil {
		return nil, err
	}
	m := &p.Manifest
	x := &explanation{packed: p, from: -1, labels: m.Labels}
	if from := c.String("from"); from != "" {
		if x.from, err = rewrite.Style("--from", from, m.Name, x.labels); err != nil {
			_ = p.Close() // read only
			return nil, err
		}
	}
	x.by = *p.Explaining()
	if err := x.setLambdaEps(c); err != nil {
		_ = p.Close() // read only
		return nil, err
	}
	x.by.Request.Threads, x.by.Request.Devices = Machine(c, nil)
	return x, nil
}

// setLambdaEps takes --lambda-eps where it is given.
func (x *explanation) setLambdaEps(c *cli.Context) error {
	if !c.IsSet("lambda-eps") {
		return nil
	}
	return x.by.SetLambdaEps("--lambda-eps", c.Float64("lambda-eps"))
}

// newExplanation finds the methods' stages in the workspace. Methods that are not trained are left
// out, as the help says, where none was asked for.
func newExplanation(e *Env, c *cli.Context) (*explanation, error) {
	if err := rewrite.CheckLambdaEps("--lambda-eps", c.Float64("lambda-eps")); err != nil {
		return nil, err
	}
	if c.String("packed") != "" {
		return explainPacked(c)
	}
	wanted := c.StringSlice("method")
	if err := Known("--method", rewrite.Explained(), wanted...); err != nil {
		return nil, err
	}
	names := wanted
	if len(names) == 0 {
		names = rewrite.Explained()
	}
	more := rewrite.ToExplain(names)
	s, err := e.OpenNamed(c, c.String("experiment"), more...)
	if err != nil {
		return nil, err
	}
	x := &explanation{study: s, from: -1, asked: *s.Exp}
	x.asked.Set = s.Exp.Set[:len(s.Exp.Set)-len(more)]
	choice := rewrite.Choice{Plan: s.Plan, WS: s.WS, Variant: c.String("variant")}
	if x.point, err = choice.Point(); err != nil {
		return nil, err
	}
	x.labels = choice.Labels(x.point)
	if from := c.String("from"); from != "" {
		if x.from, err = rewrite.Style("--from", from, x.point.Point.Dataset, x.labels); err != nil {
			return nil, err
		}
	}
	found, err := choice.Explain(x.point)
	if err != nil {
		return nil, err
	}
	x.by = *found
	if err := x.setLambdaEps(c); err != nil {
		return nil, err
	}
	x.by.Request.Threads, x.by.Request.Devices = Machine(c, s.Exp)
	missing := found.Missing
	if len(x.by.Policies) == 0 || len(wanted) > 0 && len(missing) > 0 {
		of := x.asked // of no method in particular: those of the file
		if len(wanted) > 0 {
			of.Set = slices.Concat(of.Set, rewrite.ToExplain(missing))
		}
		return nil, rewrite.Unfinished(s.WS, &of, "the Diversity-LSTM of "+strings.Join(missing, ", "), stages.DivLSTM)
	}
	return x, nil
}

// sentences are those of --text and --test, or of the files.
func (x *explanation) sentences(ctx context.Context, e *Env, c *cli.Context) (*Sentences, error) {
	lines := c.StringSlice("text")
	for _, n := range c.IntSlice("test") {
		line, err := x.testLine(n)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	if len(lines) > 0 && c.NArg() > 0 {
		return nil, userr.New(userr.BadInput, "--text and --test do not go together with files: leave one of them out")
	}
	if len(lines) == 0 {
		in, err := Open(c.Args().Slice(), e.Stdin)
		if err != nil {
			return nil, err
		}
		return Read(ctx, in), nil
	}
	return Read(ctx, []Input{Text("--text", strings.Join(lines, "\n"))}), nil
}

// testLine returns line n, from 1 on, of the test sentences of the style --from.
func (x *explanation) testLine(n int) (string, error) {
	if x.from < 0 {
		return "", userr.New(userr.BadInput, "--test needs --from: the style whose test sentences are counted, %s or %s",
			x.labels[0], x.labels[1])
	}
	stage := x.point.TestSet
	if err := x.study.WS.Whole(stage); errors.Is(err, fs.ErrNotExist) {
		return "", rewrite.Unfinished(x.study.WS, &x.asked, stage.Title(), "")
	} else if err != nil {
		return "", err
	}
	text, err := corpus.ReadLines(filepath.Join(x.study.WS.StageDir(stage), fmt.Sprintf("test.%d.txt", x.from)))
	if err != nil {
		return "", err
	}
	if n < 1 || n > len(text) {
		return "", userr.New(userr.BadInput, "--test is %d, but the test sentences of the style %s are 1 to %d",
			n, x.labels[x.from], len(text))
	}
	return strings.Join(text[n-1], " "), nil
}
