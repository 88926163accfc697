package lm

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

func TestKnownWordsCases(t *testing.T) {
	frequent := slices.Repeat([]int64{9, 10}, 250)
	for _, c := range []struct {
		name string
		text [][]int64
		want int
	}{
		{"no text", nil, 0},
		{"once is unknown", [][]int64{{9, 9, 10, 11}, {}, {9, 10}}, 2},
		{"1/1000 is unknown already", [][]int64{{13}, frequent, frequent[:499]}, 2},
		{"of two as rare the last", [][]int64{{13}, frequent, frequent, {11, 12, 12, 11}}, 3},
		{"then the next", slices.Concat(slices.Repeat([][]int64{frequent}, 6), [][]int64{{13}, {11, 12, 12, 11}}), 2},
		{"the rarest, though frequent enough", [][]int64{{11, 11}, frequent}, 2},
		{"of two as frequent the last", [][]int64{frequent}, 1},
		{"no word", [][]int64{{9, 10}}, 0},
		// <unk> and <mask> in the text are never known words; they count as unknown.
		{"special tokens", [][]int64{{corpus.UnkID, corpus.MaskID, corpus.MaskID, 9, 9, 10, 10}}, 2},
	} {
		if got := KnownWords(c.text, corpus.NumSpecial); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestKnownWords checks, on texts whose ids are sorted by frequency as in a vocabulary, that known
// words are frequent enough, that unknown words reach their share of the text, and that no more
// words are unknown than necessary.
func TestKnownWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOf(rapid.IntRange(1, 2000)).Draw(t, "counts")
		slices.SortFunc(counts, func(a, b int) int { return b - a })
		text := [][]int64{slices.Repeat([]int64{corpus.UnkID}, rapid.IntRange(0, 3).Draw(t, "unknown"))}
		total := len(text[0])
		for k, n := range counts {
			text = append(text, slices.Repeat([]int64{corpus.NumSpecial + int64(k)}, n))
			total += n
		}
		known := KnownWords(text, corpus.NumSpecial)
		if known > 0 && counts[known-1] < minCount {
			t.Fatalf("%d words are known", known)
		}
		unknown := len(text[0])
		for _, n := range counts[known:] {
			unknown += n
		}
		if float64(unknown) < unkShare*float64(total) {
			t.Fatalf("%d of %d words are unknown", unknown, total)
		}
		if known < len(counts) && counts[known] >= minCount &&
			float64(unknown-counts[known]) >= unkShare*float64(total) {
			t.Fatalf("word %d of %d is unknown, though %d of %d words are", known, len(counts), unknown, total)
		}
	})
}

func TestConfig(t *testing.T) {
	good := Config{
		First:   9,
		Known:   3,
		LMShape: recipe.LMShape{Embedding: 128, Hidden: 256},
		Dropout: .1,
	}
	text, err := json.Marshal(good)
	want := `{"first":9,"known":3,"embedding":128,"hidden":256,"dropout":0.1}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v; want %s", text, err, want)
	}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(c *Config){
		"embedding is 0":  func(c *Config) { c.Embedding = 0 },
		"known is -2":     func(c *Config) { c.Known = -2 },
		"hidden is -1":    func(c *Config) { c.Hidden = -1 },
		"dropout is 1":    func(c *Config) { c.Dropout = 1 },
		"dropout is -0.1": func(c *Config) { c.Dropout = -.1 },
		"dropout is NaN":  func(c *Config) { c.Dropout = math.NaN() },
	} {
		bad := good
		change(&bad)
		if err := bad.Check(); err == nil || !strings.Contains(err.Error(), want) ||
			userr.CodeOf(err) != userr.BadInput {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestSignature checks the exact signature. If the signature changes, perplexities are no longer
// comparable with earlier ones.
func TestSignature(t *testing.T) {
	m := &Model{
		Config: Config{
			Known:   8644,
			LMShape: recipe.LMShape{Embedding: 128, Hidden: 256},
		},
	}
	want := "perplexity|lstm:e128,h256,l1,tied|trained:human-train|words:8644|unk:train-count<2,share>=0.001|end:counted|dev-ppl:31.46|agg:corpus|version:1"
	if got := m.Signature(31.456); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestLoss checks the mean of -log p over tokens: 6 nats over 4 tokens.
func TestLoss(t *testing.T) {
	s := Scores{LogProb: []float64{-2, -4}, Tokens: []int{1, 3}, Unknown: []int{0, 1}}
	if s.Loss() != 1.5 {
		t.Errorf("loss %v, want 1.5", s.Loss())
	}
}
