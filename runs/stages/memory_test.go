package stages

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/smlm"
)

// TestTrainingMemory compares the estimate with the peaks of training runs on Yelp.
func TestTrainingMemory(t *testing.T) {
	c := smlm.Config{Vocab: 9_600, SMLMShape: recipe.SMLMShape{Dim: 512, FF: 2048, Layers: 2}}
	const text = 2.4e6
	for batch, want := range map[float64]float64{1_000: .96e9, 6_000: 1.88e9} {
		if got := float64(trainingMemory(c, c.Layers, batch, text)); got < .8*want || got > 1.2*want {
			t.Errorf("batches of %v words: %v bytes, measured were %v", batch, got, want)
		}
	}
}

// TestWarnOfMemory: there is a warning if training needs more memory than any machine has, and none
// if it needs little.
func TestWarnOfMemory(t *testing.T) {
	for name, c := range map[string]struct {
		batch int
		warns bool
	}{"small": {100, false}, "huge": {1 << 40, true}} {
		var log bytes.Buffer
		job := &stage.Job{Log: slog.New(slog.NewTextHandler(&log, nil))}
		config := smlm.Config{Vocab: 100, SMLMShape: recipe.SMLMShape{Dim: 16, FF: 32, Layers: 1}}
		warnOfMemory(job, config, 1, recipe.Training{BatchTokens: c.batch}, 1000)
		if got := strings.Contains(log.String(), "may run out of memory"); got != c.warns {
			t.Errorf("%s: warns: %v: %s", name, got, &log)
		}
	}
}
