package stages

import (
	"errors"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// TestAttentionHealth: attention on words that carry style is healthy, and attention on other words
// is not. TopShare describes the given attention.
func TestAttentionHealth(t *testing.T) {
	var d corpus.Encoded
	var on, off [][]float32
	for i := range 200 {
		style := i % 2
		d.IDs, d.Styles = append(d.IDs, []int64{20, int64(10 + style), 21}), append(d.Styles, style)
		on, off = append(on, []float32{.25, .5, .25}), append(off, []float32{.25, .25, .5})
	}
	c := classifier.FastTextConfig{Vocab: 30, FastTextShape: recipe.FastTextShape{Dim: 8, Ngrams: 1, Buckets: 10}}
	selector := classifier.NewFastText(c, 1)
	if _, err := selector.Train(t.Context(), d, d, classifier.FastTextRecipe{Epochs: 5, LR: .5, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	healthy, ill := health(d, 2, on, selector, nil), health(d, 2, off, selector, nil)
	if !slices.Equal(healthy.Found, []float64{1, 1}) || !healthy.Healthy() {
		t.Errorf("attention on style words: %+v", healthy)
	}
	if slices.Max(ill.Found) > .1 || ill.Healthy() {
		t.Errorf("attention on others: %+v", ill)
	}
	if math.Abs(healthy.TopShare-.5) > 1e-6 {
		t.Errorf("top share %v", healthy.TopShare)
	}
	for n := range 60 { // despite rounding, TopShare does not exceed 1
		var one [][]float32
		for range n + 1 {
			one = append(one, []float32{1})
		}
		if o := health(d, 2, one, nil, nil); o.TopShare > 1 {
			t.Errorf("of %d sentences: top share %v", n+1, o.TopShare)
		}
	}
	if unasked := health(d, 2, off, nil, nil); !unasked.Healthy() {
		t.Error("without a selector nothing is known")
	}
	for found, want := range map[[2]float64]bool{{.25, .8}: true, {.8, .24}: false, {0, .8}: false} {
		if (&AttentionHealth{Found: found[:]}).Healthy() != want {
			t.Errorf("found %v: healthy is %v", found, !want)
		}
	}
}

// TestHealthiest: training restarts until the attention is healthy. If no attempt is healthy, the
// attempt that is closest to healthy is kept, in whatever order the attempts come.
func TestHealthiest(t *testing.T) {
	var said strings.Builder
	log := slog.New(slog.NewTextHandler(&said, nil))
	for name, c := range map[string]struct {
		found    [][]float64
		restarts int
		kept     float64 // value of Found for the first style in the training run that is kept
		trained  int
	}{
		"at once":                   {[][]float64{{.5, .6}, {.9, .9}}, 3, .5, 1},
		"the second":                {[][]float64{{.9, .1}, {.3, .4}, {.9, .9}}, 3, .3, 2},
		"none, the first nearest":   {[][]float64{{.5, .18}, {.34, .03}, {-.1, .2}}, 2, .5, 3},
		"none, one between nearest": {[][]float64{{.9, -.2}, {.2, .24}, {.24, .1}}, 2, .2, 3},
		"no restarts":               {[][]float64{{.1, .1}, {.9, .9}}, 0, .1, 1},
	} {
		trained := 0
		said.Reset()
		got, err := healthiest(c.restarts, false, log, func(restart int) (*attendedTraining, error) {
			if restart != trained {
				t.Errorf("%s: restart %d after %d trainings", name, restart, trained)
			}
			trained++
			return &attendedTraining{Health: &AttentionHealth{Found: c.found[restart]}}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got.Health.Found[0] != c.kept || trained != c.trained || got.Health.Restarts != trained-1 {
			t.Errorf("%s: kept %v with %d restarts after %d trainings, want %v after %d",
				name, got.Health.Found, got.Health.Restarts, trained, c.kept, c.trained)
		}
		anew, still := strings.Count(said.String(), "training starts again"), strings.Contains(said.String(), "is still not on style words")
		if anew != trained-1 || still == got.Health.Healthy() {
			t.Errorf("%s: %d trainings, and the log says\n%s", name, trained, &said)
		}
	}
	unasked, err := healthiest(3, false, log, func(int) (*attendedTraining, error) {
		return &attendedTraining{Health: &AttentionHealth{}}, nil
	})
	if err != nil || unasked.Health.Restarts != 0 {
		t.Errorf("without a selector: %+v, %v", unasked, err)
	}
	cut := errors.New("cut")
	if _, err := healthiest(3, false, log, func(restart int) (*attendedTraining, error) {
		if restart == 1 {
			return nil, cut
		}
		return &attendedTraining{Health: &AttentionHealth{Found: []float64{0, 0}}}, nil
	}); !errors.Is(err, cut) {
		t.Errorf("a training that fails: %v", err)
	}
}

// TestRestartsThatDoNotHelp: if only one style has words of its own, a one-way LSTM may attend to
// what follows these words, whatever its initial weights. If it does, training does not restart,
// and the log says so. In other cases, unhealthy attention still causes restarts.
func TestRestartsThatDoNotHelp(t *testing.T) {
	for name, c := range map[string]struct {
		oneWay  bool
		health  AttentionHealth
		trained int
	}{
		"one way, after":            {true, AttentionHealth{Found: []float64{0, 0}, Silent: []int{1}, After: .9}, 1},
		"one way, half after":       {true, AttentionHealth{Found: []float64{0, 0}, Silent: []int{1}, After: .6}, 3},
		"both ways, after":          {false, AttentionHealth{Found: []float64{0, 0}, Silent: []int{1}, After: .9}, 3},
		"one way, both have words":  {true, AttentionHealth{Found: []float64{0, 0}, After: .9}, 3},
		"one way, healthy in style": {true, AttentionHealth{Found: []float64{.5, 0}, Silent: []int{1}}, 1},
	} {
		var said strings.Builder
		trained := 0
		got, err := healthiest(2, c.oneWay, slog.New(slog.NewTextHandler(&said, nil)),
			func(int) (*attendedTraining, error) {
				trained++
				h := c.health
				return &attendedTraining{Health: &h}, nil
			})
		if err != nil {
			t.Fatal(err)
		}
		if trained != c.trained || got.Health.Restarts != trained-1 {
			t.Errorf("%s: %d trainings, %d restarts said, want %d trainings", name, trained, got.Health.Restarts, c.trained)
		}
		says := strings.Contains(said.String(), "so none is made")
		if want := c.trained == 1 && !got.Health.Healthy(); says != want {
			t.Errorf("%s: the log says\n%s", name, &said)
		}
	}
}

// TestOneSidedAttention checks that attention is judged only in styles with words of their own. The
// other styles, which only the absence of these words shows, are called silent. The test has two
// and three styles. If every style has its own words, no style is silent.
func TestOneSidedAttention(t *testing.T) {
	const first = 20 // id of the first word that all styles share; smaller ids are words of one style
	for name, c := range map[string]struct {
		own    []int64 // id of each style's own word; 0: the style has none
		silent []int
	}{
		"one-sided":           {[]int64{10, 0}, []int{1}},
		"one-sided, reversed": {[]int64{0, 11}, []int{0}},
		"both have words":     {[]int64{10, 11}, nil},
		"of three, one":       {[]int64{10, 0, 12}, []int{1}},
	} {
		rng := rand.New(rand.NewPCG(1, 1))
		var d corpus.Encoded
		var on, after [][]float32
		for i := range 300 * len(c.own) {
			style := i % len(c.own)
			ids := make([]int64, 8)
			for k := range ids {
				ids[k] = first + rng.Int64N(10)
			}
			at := 1 + rng.IntN(4)
			if c.own[style] > 0 {
				ids[at] = c.own[style]
			}
			d.IDs, d.Styles = append(d.IDs, ids), append(d.Styles, style)
			there, late := make([]float32, 8), make([]float32, 8)
			there[at], late[at+2] = 1, 1
			on, after = append(on, there), append(after, late)
		}
		shape := classifier.FastTextConfig{Vocab: 30, Classes: len(c.own), FastTextShape: recipe.FastTextShape{
			Dim: 8, Ngrams: 1, Buckets: 10,
		}}
		selector := classifier.NewFastText(shape, 1)
		r := classifier.FastTextRecipe{Epochs: 40, LR: .5, Seed: 1}
		if _, err := selector.Train(t.Context(), d, d, r); err != nil {
			t.Fatal(err)
		}
		silent, _ := classifier.CountOdds(d, len(c.own), 30).Silent(d)
		healthy, ill := health(d, len(c.own), on, selector, silent), health(d, len(c.own), after, selector, silent)
		if !slices.Equal(healthy.Silent, c.silent) || !healthy.Healthy() || healthy.After != 0 {
			t.Errorf("%s: attention on style words: %+v, want style %v silent", name, healthy, c.silent)
		}
		if !slices.Equal(ill.Silent, c.silent) || ill.Healthy() || ill.After < .9 {
			t.Errorf("%s: attention two words after them: %+v", name, ill)
		}
	}
}

// TestAttentionOfOneSidedText: the stage finds the styles without words of their own in its
// training text, and does not judge the attention on their sentences. If the stage trains again,
// the progress note says so.
func TestAttentionOfOneSidedText(t *testing.T) {
	for name, c := range map[string]struct {
		own    [2]string // each style's own word; "warm" means that the style has none
		silent []int
	}{
		"one-sided":       {[2]string{"wretched", "warm"}, []int{1}},
		"both have words": {[2]string{"wretched", "lovely"}, nil},
	} {
		rng := rand.New(rand.NewPCG(1, 1))
		all := []string{"bread", "lamp", "ferry", "warm", "green", "old", "two", "near", "again", "then"}
		in := map[string]string{"prepare": t.TempDir(), "vocab": t.TempDir(), "selector": t.TempDir()}
		var train [2][]corpus.Sentence
		for _, split := range []corpus.Split{corpus.Train, corpus.Dev} {
			for style, own := range c.own {
				var lines strings.Builder
				for range 150 {
					s := corpus.Sentence{"a", all[rng.IntN(len(all))], own, all[rng.IntN(len(all))], all[rng.IntN(len(all))], "."}
					if own == "warm" { // "warm" is not a style word: replace it by a random word
						s[2] = all[rng.IntN(len(all))]
					}
					lines.WriteString(strings.Join(s, " ") + "\n")
					if split == corpus.Train {
						train[style] = append(train[style], s)
					}
				}
				path := filepath.Join(in["prepare"], corpus.FileName(split, style))
				if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		labels := []string{"first", "second"}
		if err := cmpOr(writeJSON(in["prepare"], "counts.json", Counts{Name: "x", Labels: labels}),
			corpus.BuildVocab(train[:], 100).Save(filepath.Join(in["vocab"], "vocab.txt"))); err != nil {
			t.Fatal(err)
		}
		last := "" // last progress note
		job := func(dir string) *stage.Job {
			log := slog.New(slog.DiscardHandler)
			progress := func(_, _ int, note string) { last = note }
			return &stage.Job{Dir: dir, Scratch: t.TempDir(), Inputs: in, Threads: 1, Log: log, Progress: progress}
		}
		settings := experiment.DefaultSettings()
		bag, div := settings.FastText, settings.DivLSTM
		bag.Dim, bag.Ngrams, bag.Epochs = 8, 1, 20
		div.Embedding, div.Hidden, div.Attention, div.Epochs, div.Restarts = 4, 4, 4, 1, 1
		dir := t.TempDir()
		err := torch.Run(func() error {
			if err := trainFastText(t.Context(), job(in["selector"]), FastTextSettings{1, bag}); err != nil {
				return err
			}
			return trainDivLSTM(t.Context(), job(dir), DivLSTMSettings{1, div})
		})
		var got TrainResult
		if err := cmpOr(err, readJSON(dir, "result.json", &got)); err != nil {
			t.Fatal(err)
		}
		if len(got.Attention.Found) != 2 || !slices.Equal(got.Attention.Silent, c.silent) {
			t.Errorf("%s: %+v, want style %v silent", name, got.Attention, c.silent)
		}
		if strings.HasPrefix(last, "attempt 2 of 2, epoch 1/1 ") != (got.Attention.Restarts == 1) {
			t.Errorf("%s: %d restarts, and the progress says %q", name, got.Attention.Restarts, last)
		}
	}
}
