package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/metrics/human"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// study is what most tests look at: every stage finished, by fakes that write small files.
const studyFile = `
name = "tried"
seeds = [1, 2]
[datasets.demo]
builtin = "demo"
max_train = 40
[divlstm]
lambda_con = [1.5, 10.0]
[masking]
methods = ["explainable_attention", "gradients"]
lambda_eps = [0.0, 0.5]
[smlm]
models = ["smlm", "smlm-ft"]
decoding = ["copied", "guided"]
[report]
tables = ["results", "classifier", "seeds", "examples"]
figures = ["tradeoff"]
[metrics]
embedding = false
meteor = false
perplexity = false
`

// finished plans the study and runs its stages.
func finished(t testing.TB) Options {
	t.Helper()
	o := planned(t)
	funcs := stage.Funcs{}
	for _, name := range stages.Names() {
		funcs[name] = fakeStage
	}
	err := runs.Run(context.Background(), o.Plan, o.WS, funcs.Run, runs.Options{Quiet: true, Out: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// planned is the study with nothing finished.
func planned(t testing.TB) Options {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "tried.toml")
	testkit.WriteFile(t, path, studyFile)
	load := func(set ...string) *plan.Plan {
		e, err := experiment.Load(path, set)
		if err != nil {
			t.Fatal(err)
		}
		p, err := plan.New(e)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	o := Options{Models: &fakeTorch{}}
	o.Plan = load()
	o.Explain = load("masking.methods=['"+strings.Join(rewrite.Explained(), "','")+"']",
		"masking.train_on=['explainable_attention']")
	var err error
	if o.WS, err = workspace.Open(filepath.Join(dir, "workspace")); err != nil {
		t.Fatal(err)
	}
	return o
}

// number is made of a text: the same for the same, from 0 to 1.
func fraction(text string) float64 {
	h := fnv.New32a()
	h.Write([]byte(text))
	return float64(h.Sum32()%1000) / 1000
}

// fakeStage writes what serve reads of a stage.
func fakeStage(_ context.Context, job *stage.Job) error {
	write := func(name string, v any) error {
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(job.Dir, name), text, 0o644)
	}
	source := func(style int) ([]corpus.Sentence, error) {
		if dir, ok := job.Inputs["test"]; ok {
			return corpus.ReadLines(filepath.Join(dir, corpus.FileName(corpus.Test, style)))
		}
		return corpus.ReadLines(filepath.Join(job.Inputs["prepare"], corpus.FileName(corpus.Dev, style)))
	}
	switch job.Name {
	case stages.Prepare:
		return corpus.Demo().Save(job.Dir, corpus.Train, corpus.Dev)
	case stages.TestSet:
		return corpus.Demo().Save(job.Dir, corpus.Test)
	case stages.Accuracy:
		return write("result.json", stages.AccuracyResult{TestAcc: 89})
	case stages.MaskScore:
		r := stages.MaskResult{MaskedShare: .25, Accuracy: 75, SBLEU: 50}
		return write("result.json", stages.MaskScores{Dev: r, Test: r})
	case stages.Transfer:
		for style := range 2 {
			lines, err := source(style)
			if err != nil {
				return err
			}
			for i, words := range lines { // a word of its own in the second place of most
				if at := fraction(job.ID + fmt.Sprint(i)); at < .8 && len(words) > 1 {
					words[1] = []string{"splendid", "dreadful"}[style] + job.ID[:2]
				}
			}
			for _, name := range []string{"output", "masked"} {
				path := filepath.Join(job.Dir, fmt.Sprintf("%s.%d.txt", name, style))
				if err := corpus.WriteLines(path, lines); err != nil {
					return err
				}
			}
		}
		return nil
	case stages.Score, stages.Published:
		style := fraction("tst" + job.ID) // which costs content: there is a front whatever the identities
		m := metrics.Values{
			"tst": 40 + 55*style, "s_bleu": 65 - 45*style + 5*fraction("bleu"+job.ID), "naturalness": .8, "mean": 60,
		}
		return write("metrics.json", metrics.Scores{
			Metrics: m, Directions: []metrics.Direction{
				{From: "a", To: "b", N: 1, Metrics: m}, {From: "b", To: "a", N: 1, Metrics: m},
			},
			Signatures: map[string]string{"s_bleu": "fake"},
		})
	}
	h := map[string]any{"best": 3}
	var epochs []map[string]any
	for i := range 5 {
		loss := (1 + fraction(job.ID)) / float64(i+1)
		epochs = append(epochs, map[string]any{
			"epoch": i + 1, "steps": 10 * (i + 1), "train_loss": loss,
			"dev": map[string]any{"loss": loss * 1.1, "accuracy": 70 + 5*float64(i)},
		})
	}
	h["epochs"] = epochs
	if err := write("history.json", h); err != nil {
		return err
	}
	return write("result.json", stages.TrainResult{
		Parameters: 1000, Epochs: 5, BestEpoch: 4, Steps: 50, DevAccuracy: 90, Conicity: .25,
	})
}

// fakeTorch opens sessions that need no tensors, and counts them.
type fakeTorch struct {
	opened, closed atomic.Int32
	inside         atomic.Int32 // calls under way
	together       atomic.Bool  // two were
	waits          chan struct{}
}

func (f *fakeTorch) enter(ctx context.Context) error {
	if f.inside.Add(1) > 1 {
		f.together.Store(true)
	}
	defer f.inside.Add(-1)
	if f.waits != nil {
		select {
		case <-f.waits:
		case <-ctx.Done():
		case <-time.After(10 * time.Second):
		}
	}
	return ctx.Err()
}

func (f *fakeTorch) OpenExplain(ctx context.Context, r stages.ExplainRequest) (stages.ExplainSession, error) {
	f.opened.Add(1)
	return &fakeSession{torch: f, methods: len(r.Methods)}, f.enter(ctx)
}

func (f *fakeTorch) OpenTransfer(ctx context.Context, r stages.TransferRequest) (stages.TransferSession, error) {
	f.opened.Add(1)
	return &fakeSession{torch: f, request: r}, f.enter(ctx)
}

type fakeSession struct {
	torch   *fakeTorch
	methods int
	request stages.TransferRequest
}

func (s *fakeSession) Close() { s.torch.closed.Add(1) }

// Explain gives a word a score by its letters and the method.
func (s *fakeSession) Explain(
	ctx context.Context, sentences [][]string, style int,
) (out []stages.Explained, err error) {
	for _, words := range sentences {
		x := stages.Explained{Style: max(style, 0), Probability: .75}
		for k := range s.methods {
			var sum float64
			scores := make([]float32, len(words))
			for _, w := range words {
				sum += fraction(fmt.Sprint(w, k)) + .001
			}
			for i, w := range words {
				scores[i] = float32((fraction(fmt.Sprint(w, k)) + .001) / sum)
			}
			x.Scores = append(x.Scores, scores)
		}
		out = append(out, x)
	}
	return out, s.torch.enter(ctx)
}

// Rewrite masks every second word and answers with its style's word.
func (s *fakeSession) Rewrite(ctx context.Context, sentences [][]string) (out []stages.Rewritten, err error) {
	for _, words := range sentences {
		r := stages.Rewritten{Unknown: make([]bool, len(words))}
		o := &stages.Origins{Guide: .91}
		for i, w := range words {
			word, masked := stages.Word{Word: w, Origin: guided.Kept}, w
			if i%2 == 1 {
				masked = corpus.MaskToken
				word = stages.Word{Word: []string{"dreary", "lovely"}[s.request.To], Origin: guided.Refilled, P: .5}
			}
			r.Unknown[i] = strings.HasPrefix(w, "zz")
			r.Masked, r.Output = append(r.Masked, masked), append(r.Output, word.Word)
			o.Words = append(o.Words, word)
		}
		r.Origins = o
		for k := range s.request.Candidates {
			r.Candidates = append(r.Candidates, stages.Candidate{
				Output: r.Output, Origins: o, Written: k == 0, LogQ: -1 - float64(k), Guide: .9, Similarity: .5,
				Total: -float64(k),
			})
		}
		out = append(out, r)
	}
	return out, s.torch.enter(ctx)
}

// forms is a folder of `human export`: two annotators, six questions each.
func formsFolder(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	var pairs []human.Pair
	for _, d := range []string{"gloomy to cheerful", "cheerful to gloomy"} {
		for i := range 3 {
			pairs = append(pairs, human.Pair{
				Direction: d, Item: fmt.Sprint(i + 1), Source: fmt.Sprintf("the soup number %d was cold .", i),
				A: "the soup was lovely .", B: "a lovely soup .",
			})
		}
	}
	study := human.Study{Dataset: "demo", A: "SMLM", B: "SMLM-FT", Seed: 1}
	if err := human.Export(t.Context(), dir, study, pairs, 2); err != nil {
		t.Fatal(err)
	}
	return dir
}
