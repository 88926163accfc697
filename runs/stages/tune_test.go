package stages

import (
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// TestSomeOfEach checks that at most n sentences of each direction are picked, each once and in
// order, and that the same sentences are picked again.
func TestSomeOfEach(t *testing.T) {
	var d corpus.Encoded
	for i := range 50 {
		style := min(1, i/40) // 40 sentences of style 0, 10 of style 1
		d.IDs = append(d.IDs, []int64{int64(i)})
		d.Styles, d.Targets = append(d.Styles, style), append(d.Targets, 1-style)
	}
	picked := someOfEach(d, 20)
	firstOfStyle1 := slices.IndexFunc(picked, func(i int) bool { return i >= 40 })
	different := len(slices.Compact(slices.Clone(picked)))
	if len(picked) != 30 || firstOfStyle1 != 20 || !slices.IsSorted(picked) || different != 30 {
		t.Errorf("picked %v", picked)
	}
	if slices.Equal(picked[:20], []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}) {
		t.Error("the first sentences are picked, but a file may be sorted")
	}
	if !slices.Equal(picked, someOfEach(d, 20)) {
		t.Error("other sentences are picked again")
	}
}

// TestChoiceReplacesAuto checks that a choice replaces settings that are "auto", and no others.
func TestChoiceReplacesAuto(t *testing.T) {
	chosen := Trial{Mask: policy.Policy{Name: policy.TopShare, TopShare: .35}, Style: 2, StyleCost: 0}
	auto := MaskSettings{Policy: policy.Policy{Name: policy.Surplus, LambdaEps: recipe.Chosen}}
	if got := auto.With(chosen); got.Policy != chosen.Mask {
		t.Errorf("the masks are %v", got)
	}
	if set := (MaskSettings{Policy: policy.Policy{Name: policy.Surplus, LambdaEps: .5}}); set.With(chosen) != set {
		t.Errorf("the masks that were set are %v", set.With(chosen))
	}
	with := func(style, cost recipe.OrAuto) recipe.Guided {
		return TransferSettings{Guided: recipe.Guided{Style: style, StyleCost: cost}}.With(chosen).Guided
	}
	for _, c := range []struct{ got, want recipe.Guided }{
		{with(recipe.Chosen, .5), recipe.Guided{Style: 2, StyleCost: .5}},
		{with(.8, recipe.Chosen), recipe.Guided{Style: .8, StyleCost: 0}},
	} {
		if c.got != c.want {
			t.Errorf("%+v, want %+v", c.got, c.want)
		}
	}
}

// TestMostFrequentNewWord checks that the new word comes from the direction in which it has the
// highest share, and that directions with few new words do not count.
func TestMostFrequentNewWord(t *testing.T) {
	var d corpus.Encoded
	var sources, outputs [][]string
	add := func(style, sentences int, words ...string) {
		for i := range sentences {
			d.IDs, d.Styles, d.Targets = append(d.IDs, nil), append(d.Styles, style), append(d.Targets, 1-style)
			sources = append(sources, []string{"the", "soup"})
			outputs = append(outputs, []string{"the", words[i%len(words)]})
		}
	}
	add(0, 30, "tea", "broth", "tea")
	add(1, 10, "stew")
	if word, share := mostFrequentNewWord(d, sources, outputs); word != "tea" || math.Abs(share-2./3) > 1e-12 {
		t.Errorf("%s has %v, want tea with 2/3", word, share)
	}
	add(1, 15, "stew", "stew", "stew", "stew", "tea")
	if word, share := mostFrequentNewWord(d, sources, outputs); word != "stew" || math.Abs(share-22./25) > 1e-12 {
		t.Errorf("%s has %v, want stew with 22/25", word, share)
	}
}
