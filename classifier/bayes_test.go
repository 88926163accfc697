package classifier

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// TestBayesByHand counts three sentences: 7 8, 7 and 8 8 of styles 1, 1 and 0.
func TestBayesByHand(t *testing.T) {
	b := NewBayes(corpus.Encoded{IDs: [][]int64{{7, 8}, {7}, {8, 8}}, Styles: []int{1, 1, 0}}, 2)
	// Features 7, 8, 7-8 and 8-8; style 1 has 2, 1, 1, 0 of them, style 0 has 0, 2, 0, 1.
	of := func(one, zero float64) float64 { return math.Log((one+1)/(4+4)) - math.Log((zero+1)/(3+4)) }
	pair := func(a, b uint64) uint64 { return (a+1)<<32 | b }
	for f, want := range map[uint64]float64{7: of(2, 0), 8: of(1, 2), pair(7, 8): of(1, 0), pair(8, 8): of(0, 1)} {
		if got := float64(b.of(f)[0]); math.Abs(got-want) > 1e-6 {
			t.Errorf("feature %#x: %v, want %v", f, got, want)
		}
	}
	if want := math.Log(3.0 / 2); math.Abs(float64(b.priors[0])-want) > 1e-6 || b.Features() != 4 {
		t.Errorf("prior %v, want %v; %d features", b.priors, want, b.Features())
	}
	// 8 8: log 1.5 + 2 (log 2/8 - log 3/7) + log 1/8 - log 2/7 < 0; unknown words leave the prior.
	if got := b.Predict([][]int64{{7}, {8, 8}, {9}, nil}); !slices.Equal(got, []int{1, 0, 1, 1}) {
		t.Errorf("styles %v", got)
	}
	if got := b.Accuracy(corpus.Encoded{IDs: [][]int64{{7}, {8, 8}, {7}, {8}}, Styles: []int{1, 0, 0, 0}}); got != 75 {
		t.Errorf("accuracy %v", got)
	}
}

// TestBayesOfSeveralStyles: each style's numbers are those of two styles, it and style 0, but for
// what all of them have of features; and names exchanged exchange what is predicted.
func TestBayesOfSeveralStyles(t *testing.T) {
	d := corpus.Encoded{
		IDs:    [][]int64{{7, 8}, {7, 9}, {10, 8}, {10, 11}, {12, 8}, {12, 13}, {12, 12}},
		Styles: []int{0, 0, 1, 1, 2, 2, 2},
	}
	b := NewBayes(d, 3)
	// "12" is a word of style 2 alone, which has 9 features with pairs; style 0 has 6, and there
	// are 14 in all: log (4+1)/(9+14) - log 1/(6+14).
	if got, want := float64(b.of(12)[1]), math.Log(5./23)-math.Log(1./20); math.Abs(got-want) > 1e-6 {
		t.Errorf("log p(12 | 2) - log p(12 | 0) is %v, want %v", got, want)
	}
	if got := b.Predict(d.IDs); !slices.Equal(got, d.Styles) {
		t.Errorf("styles %v, want %v", got, d.Styles)
	}
	exchanged := corpus.Encoded{IDs: d.IDs, Styles: lists.Map(d.Styles, func(s int) int { return (s + 1) % 3 })}
	if got := NewBayes(exchanged, 3).Predict(d.IDs); !slices.Equal(got, exchanged.Styles) {
		t.Errorf("styles %v, want %v", got, exchanged.Styles)
	}
}

// TestBayesFile: what is read back judges the same, the same weights give the same bytes, and a
// damaged file is refused.
func TestBayesFile(t *testing.T) {
	d := corpus.Encoded{IDs: [][]int64{{7, 8, 9}, {9, 10}, {11, 7}, {12}}, Styles: []int{1, 0, 1, 0}}
	path := filepath.Join(t.TempDir(), "model.safetensors")
	b := NewBayes(d, 2)
	var raw [2][]byte
	for i := range raw {
		if err := b.Save(path); err != nil {
			t.Fatal(err)
		}
		var err error
		if raw[i], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		if b, err = LoadBayes(path); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(raw[0], raw[1]) || b.Accuracy(d) != 100 || b.Features() != NewBayes(d, 2).Features() {
		t.Errorf("what was read back is another model")
	}
	for _, damaged := range [][]byte{nil, raw[0][:len(raw[0])-1], []byte("no such thing")} {
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadBayes(path); err == nil {
			t.Errorf("%d bytes of %d were taken for a model", len(damaged), len(raw[0]))
		}
	}
}
