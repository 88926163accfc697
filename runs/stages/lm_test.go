package stages

import (
	"math"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// TestFluency: the saved n-gram model has the dev perplexity that is in result.json.
func TestFluency(t *testing.T) {
	job := &stage.Job{Dir: t.TempDir(), Inputs: demoInputs(t)}
	if err := trainFluency(t.Context(), job, struct{}{}); err != nil {
		t.Fatal(err)
	}
	var r fluencyResult
	if err := readJSON(job.Dir, "result.json", &r); err != nil {
		t.Fatal(err)
	}
	m, err := loadFluency(job.Dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := loadText(job, corpus.Dev)
	if err != nil {
		t.Fatal(err)
	}
	got := m.Perplexity(text.encoded(corpus.Dev).IDs)
	if math.Abs(got-r.DevPerplexity) > 1e-9 || got < 1 || len(r.NGrams) != fluencyOrder {
		t.Errorf("dev perplexity %v, result.json has %+v", got, r)
	}
}
