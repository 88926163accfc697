package serve

import (
	"context"
	"io"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/fakebackend"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// studyFile is the experiment file of most tests. A fake backend runs the experiment's stages: it
// trains nothing and writes small files.
const studyFile = `
name = "tried"
wordnet = "none"
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
perplexity = false
`

// threeFile is an experiment file with three styles.
const threeFile = `
name = "three"
wordnet = "none"
seeds = [1]
[datasets.manners]
dir = "three"
labels = ["plain", "lofty", "slangy"]
unseen = "none"
[smlm]
models = ["smlm"]
decoding = ["guided"]
[metrics]
perplexity = false
`

// The function finished plans the study in an experiment file and runs all its stages.
func finished(t testing.TB, text string) Options {
	t.Helper()
	o := planned(t, text)
	err := runs.Run(context.Background(), o.Plan, o.WS, fakeTorch().Run, runs.Options{Quiet: true, Out: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// The function planned plans the study in an experiment file without running any stage.
func planned(t testing.TB, text string) Options {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "tried.toml")
	testkit.WriteFile(t, path, text)
	testkit.WriteThree(t, filepath.Join(dir, "three"), 3)
	e, err := experiment.Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Backend: fakeTorch(), Name: e.Name}
	if o.Plan, err = plan.New(e); err != nil {
		t.Fatal(err)
	}
	if o.WS, err = workspace.Open(filepath.Join(dir, "workspace")); err != nil {
		t.Fatal(err)
	}
	return o
}

// countedTorch is a fake backend that counts how its models are used.
type countedTorch struct {
	fakebackend.Backend
	opened, closed atomic.Int32
	asked          []corpus.Direction // directions of the transfer models that were opened
	inside         atomic.Int32       // calls in progress
	together       atomic.Bool        // set if two calls were ever in progress at the same time
	waits          chan struct{}
}

// fakeTorch returns a fake backend that gives different answers for different words, styles and
// stages.
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
