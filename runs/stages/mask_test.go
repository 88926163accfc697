package stages

import (
	"fmt"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// scores is the attention of three sentences of 4, 2 and 1 words.
var scores = [][]float32{{0.1, 0.6, 0.25, 0.05}, {0.5, 0.5}, {1}}

// TestLinksAreNotMasked: links, e-mail addresses and mentions are never masked. If nearly all
// attention is on such a word, the policy "surplus" masks nothing, and the policy "top_share" masks
// the word with the next highest score.
func TestLinksAreNotMasked(t *testing.T) {
	for _, word := range []string{"www.example.org/a", "me@example.org", "@somebody"} {
		d := corpus.Encoded{Kept: corpus.NeverMasked([][]string{{"see", word, "right", "now"}, {"all", "of", "it"}})}
		given := [][]float32{{0.03, 0.9, 0.04, 0.03}, {0.2, 0.2, 0.6}}
		keepWords(given, d)
		for _, c := range []struct {
			policy policy.Policy
			want   string
		}{
			{policy.Policy{Name: policy.Surplus, LambdaEps: 0.5}, "[[false false false false] [false false true]]"},
			{policy.Policy{Name: policy.TopShare, TopShare: .2}, "[[false false true false] [false false true]]"},
			{policy.Policy{Name: policy.TopShare, TopShare: 1}, "[[true false true true] [true true true]]"},
		} {
			if got := fmt.Sprint(newMasker(MaskSettings{Policy: c.policy}, 0).masks(given)); got != c.want {
				t.Errorf("%s by %s: %s, want %s", word, c.policy.Name, got, c.want)
			}
		}
	}
}

func TestMasker(t *testing.T) {
	surplus := newMasker(MaskSettings{Policy: policy.Policy{Name: policy.Surplus}}, 0).masks(scores)
	want := "[[false true true false] [true true] [true]]" // masks words with A_i >= 1/n: 1/4, 1/2 and 1
	if got := fmt.Sprint(surplus); got != want {
		t.Errorf("surplus at 0: %s, want %s", got, want)
	}
	random := newMasker(
		MaskSettings{Policy: policy.Policy{Name: policy.Surplus}, Random: true, Seed: 3}, 0,
	).masks(scores)
	for i := range random {
		if a, b := policy.Count(random[i:i+1]), policy.Count(surplus[i:i+1]); a != b {
			t.Errorf("sentence %d: the random mask covers %+v, the surplus mask %+v", i, a, b)
		}
	}
	s := MaskSettings{Policy: policy.Policy{Name: policy.Surplus}, Random: true, Seed: 3}
	if again := newMasker(s, 0).masks(scores); fmt.Sprint(again) != fmt.Sprint(random) {
		t.Error("the same seed drew other masks")
	}
	parts := newMasker(MaskSettings{Policy: policy.Policy{Name: policy.Surplus}, Random: true, Seed: 3}, 0)
	if again := append(parts.masks(scores[:1]), parts.masks(scores[1:])...); fmt.Sprint(again) != fmt.Sprint(random) {
		t.Error("sentences given in two parts have other masks")
	}
}
