package rewrite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/smlm-exp/smlm-exp/cli/call"
	"github.com/smlm-exp/smlm-exp/cli/stream"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/report/heat"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/kind"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/urfave/cli/v2"
)

// explanation is what `mask explain` explains by.
type explanation struct {
	study    *call.Study
	point    *plan.PointStages
	labels   [2]string
	from     int // style of the sentences, below 0: what the model takes each for
	request  runs.ExplainRequest
	policies []kind.MaskSettings // of the methods of the request
}

// explained are the methods that score words. Random and none do not.
func explained() []string {
	var names []string
	for _, m := range policy.Methods {
		if m.Scored() == m {
			names = append(names, string(m))
		}
	}
	return names
}

// newExplanation finds the methods' stages in the workspace, and says on standard error which
// methods are left out.
func newExplanation(e *call.Env, c *cli.Context) (*explanation, error) {
	wanted := c.StringSlice("method")
	if err := call.Known("--method", explained(), wanted...); err != nil {
		return nil, err
	}
	names := wanted
	if len(names) == 0 {
		names = explained()
	}
	s, err := call.OpenStudy(c, c.String("experiment"),
		"masking.methods=['"+strings.Join(names, "','")+"']", "masking.train_on=['"+names[0]+"']")
	if err != nil {
		return nil, err
	}
	x := &explanation{study: s, from: -1}
	if v := c.Float64("lambda-eps"); !(v >= 0 && v <= 1000) { // as the file's
		return nil, userr.New(userr.BadInput, "--lambda-eps is %v and must be from 0 to 1000", v)
	}
	if x.point, err = (choice{Study: s, variant: c.String("variant")}).point(); err != nil {
		return nil, err
	}
	x.labels = s.Plan.Data[x.point.Point.Dataset].Labels
	if from := c.String("from"); from != "" {
		if x.from, err = styleOf("--from", from, x.point.Point.Dataset, x.labels); err != nil {
			return nil, err
		}
	}
	x.request.Threads = cmp.Or(c.Int("threads"), s.Exp.Threads)
	x.request.Devices = cmp.Or(c.String("devices"), s.Exp.Devices)
	missing, err := x.addMethods(c)
	if err != nil {
		return nil, err
	}
	if len(x.policies) == 0 || len(wanted) > 0 && len(missing) > 0 {
		return nil, userr.New(userr.BadInput, "the Diversity-LSTM of %s is not trained yet in the workspace %q: "+
			"run `smlm-exp run %s --only divlstm` with masking.methods that have it first",
			strings.Join(missing, ", "), s.WS.Dir, s.Exp.File)
	}
	if len(missing) > 0 {
		fmt.Fprintf(e.Stderr, "smlm-exp: left out, as their Diversity-LSTM is not trained: %s\n", strings.Join(missing, ", "))
	}
	return x, nil
}

// addMethods fills in the request with the methods whose stages are finished, and returns the
// others.
func (x *explanation) addMethods(c *cli.Context) (missing []string, err error) {
	for _, m := range x.point.Masks {
		vocab := m.DivLSTM.Inputs["vocab"]
		err := cmp.Or(x.study.WS.Whole(m.DivLSTM), x.study.WS.Whole(vocab))
		if errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, string(m.Method))
			continue
		} else if err != nil {
			return nil, err
		}
		mask, _ := m.Mask.Settings.(kind.MaskSettings)
		if c.IsSet("lambda-eps") {
			if mask.Name != policy.Surplus {
				return nil, userr.New(userr.BadInput, "--lambda-eps is of the policy surplus, and masking.policy is %q: "+
					"leave it out", mask.Name)
			}
			mask.LambdaEps = c.Float64("lambda-eps")
		}
		attribution, _ := m.Mask.Inputs["attribution"].Settings.(kind.AttributionSettings)
		x.request.VocabDir = x.study.WS.StageDir(vocab)
		x.request.Methods = append(x.request.Methods,
			runs.ExplainMethod{DivLSTM: x.study.WS.StageDir(m.DivLSTM), Attribution: attribution})
		x.policies = append(x.policies, mask)
	}
	return missing, nil
}

// sentences are those of --text and --test, or of the files.
func (x *explanation) sentences(ctx context.Context, e *call.Env, c *cli.Context) (*stream.Sentences, error) {
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
		in, err := stream.Open(c.Args().Slice(), e.Stdin)
		if err != nil {
			return nil, err
		}
		return stream.Read(ctx, in), nil
	}
	return stream.Read(ctx, []stream.Input{stream.Text("--text", strings.Join(lines, "\n"))}), nil
}

// testLine returns line n, from 1 on, of the test sentences of the style --from.
func (x *explanation) testLine(n int) (string, error) {
	if x.from < 0 {
		return "", userr.New(userr.BadInput, "--test needs --from: the style whose test sentences are counted, %s or %s",
			x.labels[0], x.labels[1])
	}
	stage := x.point.TestSet
	if err := x.study.WS.Whole(stage); errors.Is(err, fs.ErrNotExist) {
		return "", userr.New(userr.BadInput, "%s is not finished yet in the workspace %q: run `smlm-exp run %s` first",
			stage.Title(), x.study.WS.Dir, x.study.Exp.File)
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

// decide applies the policies.
func (x *explanation) decide(words corpus.Sentence, found *runs.Explained) *heat.Sentence {
	s := &heat.Sentence{Words: words, Style: x.labels[found.Style], Probability: found.Probability}
	for k, p := range x.policies {
		m := heat.Method{Name: string(x.request.Methods[k].Attribution.Method), Masked: p.Mask(found.Scores[k])}
		if p.Name == policy.Surplus {
			m.Threshold = p.Threshold(len(words))
		}
		for _, a := range found.Scores[k] {
			m.Scores = append(m.Scores, float64(a))
		}
		s.Methods = append(s.Methods, m)
	}
	return s
}
