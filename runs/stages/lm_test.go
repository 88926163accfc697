package stages

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/testdata"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/kind"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// TestFluency: the model that is kept gives the perplexity that is kept beside it.
func TestFluency(t *testing.T) {
	prepare, vocab := prepared(t), t.TempDir()
	v := corpus.BuildVocab(corpus.Demo().Text[corpus.Train][:], 0)
	if err := v.Save(filepath.Join(vocab, "vocab.txt")); err != nil {
		t.Fatal(err)
	}
	job := &plan.Job{Dir: t.TempDir(), Inputs: map[string]string{"prepare": prepare, "vocab": vocab}}
	train := func(order int) error {
		return trainFluency(t.Context(), job, kind.FluencySettings{
			FluencySettings: experiment.FluencySettings{Order: order},
		})
	}
	if err := train(3); err != nil {
		t.Fatal(err)
	}
	var r kind.FluencyResult
	if err := readJSON(job.Dir, "result.json", &r); err != nil {
		t.Fatal(err)
	}
	m, err := loadFluency(job.Dir)
	if err != nil {
		t.Fatal(err)
	}
	dev, _ := corpus.Demo().Encode(corpus.Dev, v)
	if got := m.Perplexity(dev); math.Abs(got-r.DevPerplexity) > 1e-9 || got < 1 || len(r.NGrams) != 3 {
		t.Errorf("dev perplexity %v, result.json has %+v", got, r)
	}
	testdata.WantError(t, train(6), userr.BadInput, "fluency.order is 6")
}
