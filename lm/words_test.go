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
		want Words
	}{
		{"no text", nil, nil},
		{"once is unknown", [][]int64{{9, 9, 10, 11}, {}, {9, 10}}, Words{9, 10}},
		{"1/1000 is unknown already", [][]int64{{13}, frequent, frequent[:499]}, Words{9, 10}},
		{"of two as rare the last", [][]int64{{13}, frequent, frequent, {11, 12, 12, 11}}, Words{9, 10, 11}},
		{"then the next", slices.Concat(slices.Repeat([][]int64{frequent}, 6), [][]int64{{13}, {11, 12, 12, 11}}), Words{9, 10}},
		{"the rarest, though frequent enough", [][]int64{{11, 11}, frequent}, Words{9, 10}},
		{"of two as frequent the last", [][]int64{frequent}, Words{9}},
		{"no word", [][]int64{{9, 10}}, nil},
		// <unk> and <mask> in the text are never known words; they count as unknown.
		{"special tokens", [][]int64{{corpus.UnkID, corpus.MaskID, corpus.MaskID, 9, 9, 10, 10}}, Words{9, 10}},
	} {
		if got := KnownWords(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestKnownWords checks that known words are frequent enough, that unknown words reach their share
// of the text, and that no unknown word is more frequent than a known one.
func TestKnownWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOf(rapid.SliceOf(rapid.Int64Range(corpus.UnkID, 20))).Draw(t, "text")
		words := KnownWords(text)
		counts, unknown, total, rarest := map[int64]int{}, 0, 0, math.MaxInt
		for _, id := range slices.Concat(text...) {
			counts[id]++
			total++
			if !slices.Contains(words, id) {
				unknown++
			}
		}
		for _, id := range words {
			rarest = min(rarest, counts[id])
		}
		if !slices.IsSorted(words) || len(words) > 0 && (words[0] < corpus.NumSpecial || rarest < minCount) {
			t.Fatalf("words %v", words)
		}
		if float64(unknown) < unkShare*float64(total) {
			t.Fatalf("%d of %d words are unknown", unknown, total)
		}
		for id, n := range counts {
			if id >= corpus.NumSpecial && n > rarest && !slices.Contains(words, id) {
				t.Fatalf("%d, %d times, is unknown; a known word is there %d times", id, n, rarest)
			}
		}
	})
}

func TestWordsText(t *testing.T) {
	for text, want := range map[string]Words{
		"": nil, "9": {9}, "9-11": {9, 10, 11}, "9-10,12,14-15": {9, 10, 12, 14, 15},
	} {
		var got Words
		if err := got.UnmarshalText([]byte(text)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
		if back, _ := want.MarshalText(); string(back) != text {
			t.Errorf("%v: %q, want %q", want, back, text)
		}
	}
	for _, text := range []string{
		",", "9,", "x", "8", "9-", "10-9", "9,9", "9-11,11", "9--1", "9-99999999999", "9-12-14", " 9",
	} {
		var got Words
		if err := got.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), "known words") {
			t.Errorf("%q: %v, error %v", text, got, err)
		}
	}
}

// FuzzWords checks that words that UnmarshalText has read stay the same when they are written and
// read again.
func FuzzWords(f *testing.F) {
	for _, text := range []string{"", "9-11,13", "9,10", "16777216", "9-x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var words, again Words
		if len(text) > 40 || words.UnmarshalText([]byte(text)) != nil {
			return
		}
		written, err := words.MarshalText()
		if err == nil {
			err = again.UnmarshalText(written)
		}
		if err != nil || !slices.Equal(words, again) {
			t.Errorf("%q is written as %q: %v", text, written, err)
		}
	})
}

func TestConfig(t *testing.T) {
	good := Config{
		Known:   Words{9, 10, 12},
		LMShape: recipe.LMShape{Embedding: 128, Hidden: 256},
		Dropout: .1,
	}
	text, err := json.Marshal(good)
	want := `{"known":"9-10,12","embedding":128,"hidden":256,"dropout":0.1}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v; want %s", text, err, want)
	}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(c *Config){
		"embedding is 0":  func(c *Config) { c.Embedding = 0 },
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
			Known:   make(Words, 8644),
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
