package stages

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
)

// TestHealthiest: training begins anew until the attention is healthy, and of none that is the
// nearest is kept, whichever came last.
func TestHealthiest(t *testing.T) {
	var said strings.Builder
	log := slog.New(slog.NewTextHandler(&said, nil))
	for name, c := range map[string]struct {
		found    [][2]float64
		restarts int
		kept     float64 // the first style's share
		trained  int
	}{
		"at once":                   {[][2]float64{{.5, .6}, {.9, .9}}, 3, .5, 1},
		"the second":                {[][2]float64{{.9, .1}, {.3, .4}, {.9, .9}}, 3, .3, 2},
		"none, the first nearest":   {[][2]float64{{.5, .18}, {.34, .03}, {-.1, .2}}, 2, .5, 3},
		"none, one between nearest": {[][2]float64{{.9, -.2}, {.2, .24}, {.24, .1}}, 2, .2, 3},
		"no restarts":               {[][2]float64{{.1, .1}, {.9, .9}}, 0, .1, 1},
	} {
		trained := 0
		said.Reset()
		got, err := Healthiest(c.restarts, log, func(restart int) (*Training, error) {
			if restart != trained {
				t.Errorf("%s: restart %d after %d trainings", name, restart, trained)
			}
			trained++
			return &Training{Health: &AttentionHealth{Found: &c.found[restart]}}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got.Health.Found[0] != c.kept || trained != c.trained || got.Health.Restarts != trained-1 {
			t.Errorf("%s: kept %v with %d restarts after %d trainings, want %v after %d",
				name, *got.Health.Found, got.Health.Restarts, trained, c.kept, c.trained)
		}
		anew, still := strings.Count(said.String(), "begins anew"), strings.Contains(said.String(), "is still not on style words")
		if anew != trained-1 || still == got.Health.Healthy() {
			t.Errorf("%s: %d trainings, and the log says\n%s", name, trained, &said)
		}
	}
	unasked, err := Healthiest(3, log, func(int) (*Training, error) {
		return &Training{Health: &AttentionHealth{}}, nil
	})
	if err != nil || unasked.Health.Restarts != 0 {
		t.Errorf("without a selector: %+v, %v", unasked, err)
	}
	cut := errors.New("cut")
	if _, err := Healthiest(3, log, func(restart int) (*Training, error) {
		if restart == 1 {
			return nil, cut
		}
		return &Training{Health: &AttentionHealth{Found: &[2]float64{}}}, nil
	}); !errors.Is(err, cut) {
		t.Errorf("a training that fails: %v", err)
	}
}
