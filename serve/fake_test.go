package serve

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/fakebackend"
	"github.com/smlm-exp/smlm-exp/metrics/human"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
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

// threeFile is a study of three styles.
const threeFile = `
name = "three"
seeds = [1]
[datasets.registers]
builtin = "registers"
max_train = 40
[smlm]
models = ["smlm"]
decoding = ["guided"]
[metrics]
embedding = false
meteor = false
perplexity = false
`

// finished plans the study and runs its stages.
func finished(t testing.TB) Options {
	t.Helper()
	return finishedOf(t, studyFile)
}

// finishedOf is finished of another study.
func finishedOf(t testing.TB, text string) Options {
	t.Helper()
	o := plannedOf(t, text)
	err := runs.Run(context.Background(), o.Plan, o.WS, fakeTorch().Run, runs.Options{Quiet: true, Out: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// planned is the study with nothing finished.
func planned(t testing.TB) Options {
	t.Helper()
	return plannedOf(t, studyFile)
}

// plannedOf is planned of another study.
func plannedOf(t testing.TB, text string) Options {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "tried.toml")
	testkit.WriteFile(t, path, text)
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
	o := Options{Models: fakeTorch()}
	o.Plan = load()
	o.Explain = load("masking.methods=['"+strings.Join(rewrite.Explained(), "','")+"']",
		"masking.train_on=['explainable_attention']")
	var err error
	if o.WS, err = workspace.Open(filepath.Join(dir, "workspace")); err != nil {
		t.Fatal(err)
	}
	return o
}

// countedTorch is the fake backend, of whose models it counts who uses them.
type countedTorch struct {
	fakebackend.Backend
	opened, closed atomic.Int32
	asked          []corpus.Direction // of the models that rewrite, as they were opened
	inside         atomic.Int32       // calls under way
	together       atomic.Bool        // two were
	waits          chan struct{}
}

// fakeTorch says different things of different words, styles and stages.
func fakeTorch() *countedTorch { return &countedTorch{Backend: fakebackend.Backend{Varied: true}} }

func (f *countedTorch) enter(ctx context.Context) error {
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

func (f *countedTorch) OpenExplain(ctx context.Context, r stages.ExplainRequest) (stages.ExplainSession, error) {
	s, err := f.Backend.OpenExplain(ctx, r)
	if err != nil {
		return nil, err
	}
	f.opened.Add(1)
	return countedExplain{s, f}, f.enter(ctx)
}

func (f *countedTorch) OpenTransfer(ctx context.Context, r stages.TransferRequest) (stages.TransferSession, error) {
	s, err := f.Backend.OpenTransfer(ctx, r)
	if err != nil {
		return nil, err
	}
	f.opened.Add(1)
	f.asked = append(f.asked, r.Direction)
	return countedTransfer{s, f}, f.enter(ctx)
}

type countedExplain struct {
	stages.ExplainSession
	torch *countedTorch
}

func (s countedExplain) Explain(ctx context.Context, sentences [][]string, style int) ([]stages.Explained, error) {
	if err := s.torch.enter(ctx); err != nil {
		return nil, err
	}
	return s.ExplainSession.Explain(ctx, sentences, style)
}

func (s countedExplain) Close() { s.torch.closed.Add(1) }

type countedTransfer struct {
	stages.TransferSession
	torch *countedTorch
}

func (s countedTransfer) Rewrite(ctx context.Context, sentences [][]string) ([]stages.Rewritten, error) {
	if err := s.torch.enter(ctx); err != nil {
		return nil, err
	}
	return s.TransferSession.Rewrite(ctx, sentences)
}

func (s countedTransfer) Close() { s.torch.closed.Add(1) }

// formsFolder is a folder of `human export`: two annotators, six questions each.
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

// sheetsFolder is a folder of `human sheets`: two readers, six sentences each, of which three
// systems make "the soup is fine .", "a fine soup ." and the first one again.
func sheetsFolder(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	var all []human.Outputs
	for _, d := range []string{"gloomy to cheerful", "cheerful to gloomy", "cheerful to calm"} {
		for i := range 2 {
			all = append(all, human.Outputs{
				Sentence: human.Sentence{Split: "test", Direction: d, Line: i + 1, Words: 6},
				Source:   fmt.Sprintf("the soup number %d was cold .", i+1),
				Of:       []string{"the soup is fine .", "=a fine soup .", "the soup is fine ."},
			})
		}
	}
	reading := human.Reading{Dataset: "demo", Systems: []string{"SMLM", "rival", "SMLM-FT"}, Seed: 1}
	if err := human.ExportSheets(t.Context(), dir, reading, all, 2); err != nil {
		t.Fatal(err)
	}
	return dir
}
