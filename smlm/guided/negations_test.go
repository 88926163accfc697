package guided

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"pgregory.net/rapid"
)

func drawnNegation(t *rapid.T) Negation {
	word := rapid.Int64Range(corpus.NumSpecial, vocab-1)
	n := Negation{From: rapid.SliceOfN(word, 1, 2).Draw(t, "from")}
	n.To = rapid.SliceOfN(word, 0, 4).Draw(t, "to")
	return n
}

// negatedSource returns a source with phrases negated as Refiller.negated defines it, nil if that
// is the source.
func negatedSource(r *Refiller, d corpus.Encoded, i int) *draft {
	source, s := d.IDs[i], newDraft(d, i)
	odds := func(ids []int64) float64 {
		logs, _ := r.Guide.LogProbs(context.Background(), [][]int64{ids})
		return logs[0][s.asked] - logs[0][s.style]
	}
	changed := false
	for k := 0; k < len(source); k++ {
		for _, n := range r.Negations {
			end := k + len(n.From)
			if end > len(source) || !slices.Equal(source[k:end], n.From) {
				continue
			}
			if d.Kept != nil && slices.Contains(d.Kept[i][k:end], true) {
				break // a phrase may begin at the next word
			}
			with := slices.Concat(source[:k], n.To, source[end:])
			if len(with) > 0 && odds(with)-odds(source) >= .5-rounding {
				changed = true
				last := max(0, min(len(n.From), len(n.To))-1)
				for j := range n.From {
					var c cell
					for m, id := range n.To {
						if m == j || j == last && m > j && j == len(n.From)-1 {
							c = append(c, Word{ID: id, Place: k + j, Origin: Inserted, Negated: true})
						}
					}
					if len(c) == 0 {
						c = cell{{ID: Empty, Place: k + j, Negated: true}}
					}
					if c[0].Origin = Added; c[0].ID == source[k+j] {
						c[0].Origin, c[0].Negated = Kept, false
					}
					s.words[k+j], s.masks[k+j] = c, false
				}
			}
			k = end - 1
			break
		}
	}
	if !changed || len(s.ids(asIs)) == 0 {
		return nil
	}
	logs, _ := r.Guide.LogProbs(context.Background(), [][]int64{s.ids(asIs)})
	s.sure = math.Exp(logs[0][s.asked])
	return s
}

// TestNegatedStay: whatever the settings, no way changes what was negated, and none changes words
// that the user keeps.
func TestNegatedStay(t *testing.T) {
	deleted, inserted := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		how, d := hows(t), drawn(t)
		slots := drawnSlots(t, &how)
		how.MoreMasks, how.Doubt = 9, .99
		how.Contrast, how.MaskContrast = 1, 1
		r := rankedRefiller(how, slots)
		r.How.Ranked = false
		for range 6 {
			r.Negations = append(r.Negations, drawnNegation(t))
		}
		for i, ids := range d.IDs {
			d.Kept = append(d.Kept, make([]bool, len(ids)))
			for k := range ids {
				d.Kept[i][k] = !d.Masks[i][k] && noise("kept", i, k) > .7
			}
		}
		all := make([]*draft, len(d.IDs))
		for i := range all {
			all[i] = newDraft(d, i)
		}
		copies, of, err := r.negated(context.Background(), all)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range all {
			want := negatedSource(r, d, i)
			k := slices.Index(of, i)
			if (want == nil) != (k < 0) || k >= 0 && want.differs(copies[k]) {
				t.Fatalf("%v negated is not %v", s.source, want)
			}
		}
		if len(copies) == 0 {
			return
		}
		before := make([]*draft, len(copies))
		for k, s := range copies {
			before[k] = s.clone()
		}
		if err := r.transfer(context.Background(), copies); err != nil {
			t.Fatal(err)
		}
		for n, s := range copies {
			for k := range s.words {
				was := before[n].words[k]
				if !before[n].isSource(k) && !slices.Equal(s.words[k], was) {
					t.Fatalf("%v stands where a phrase was negated, not %v", s.words[k], was)
				}
				if d.Kept[of[n]][k] && !s.isSource(k) {
					t.Fatalf("word %d is kept, but became %v", k, s.words[k])
				}
				deleted += len(was) - was.count()
				inserted += max(was.count(), 1) - 1
			}
		}
	})
	if deleted == 0 || inserted == 0 {
		t.Errorf("%d words were deleted and %d inserted", deleted, inserted)
	}
}

// TestAffirmed: the first phrase that fits counts; one stays without which the guide is not surer
// of the style asked for; and a sentence keeps a word.
func TestAffirmed(t *testing.T) {
	ca, not, can, find, bad := int64(10), int64(11), int64(12), int64(13), int64(14)
	for name, c := range map[string]struct {
		source, want []int64
	}{
		"two words":       {[]int64{ca, not, find}, []int64{can, find}},
		"one word":        {[]int64{find, not, find, not}, []int64{find, find}},
		"none":            {[]int64{find, can}, nil},
		"needed":          {[]int64{find, not, bad}, nil},
		"needed once":     {[]int64{not, bad, not, find}, []int64{not, bad, find}},
		"with one":        {[]int64{find, bad}, []int64{find, not, bad}},
		"all of it":       {[]int64{not}, nil},
		"all of it twice": {[]int64{not, not}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Refiller{How: recipe.Guided{Ranked: true}, Guide: denies{not, bad}}
			r.Negations = []Negation{
				{[]int64{ca, not}, []int64{can}}, {From: []int64{not}}, {[]int64{bad}, []int64{not, bad}},
			}
			d := corpus.Encoded{
				IDs: [][]int64{c.source}, Masks: [][]bool{make([]bool, len(c.source))},
				Styles: []int{0}, Asked: []int{1},
			}
			copies, _, err := r.negated(context.Background(), []*draft{newDraft(d, 0)})
			if err != nil {
				t.Fatal(err)
			}
			if len(copies) != min(len(c.want), 1) || len(copies) == 1 && !slices.Equal(copies[0].ids(asIs), c.want) {
				t.Errorf("%v", copies)
			}
		})
	}
}

// TestKnow: what is no phrase, or has a word that the vocabulary lacks, is left out.
func TestKnow(t *testing.T) {
	v := corpus.BuildVocab([][]corpus.Sentence{{{"ca", "n't", "can"}}, {{"can"}}}, 100)
	var r Refiller
	for k, n := range [][2][]string{
		{nil, {"can"}}, {{"wo", "n't"}, {"can"}}, {{"n't"}, {"will"}}, {{"ca", "n't"}, {"can"}}, {{"n't"}, nil},
	} {
		if known := r.Know(n[0], n[1], v); known != (k > 2) {
			t.Errorf("%v: known %v", n, known)
		}
	}
	if len(r.Negations) != 2 || len(r.Negations[0].From) != 2 || len(r.Negations[1].To) != 0 {
		t.Errorf("%v", r.Negations)
	}
}

// denies is a guide that finds a word that denies bad, but good before a bad word.
type denies struct{ not, bad int64 }

func (g denies) LogProbs(_ context.Context, all [][]int64) (out [][]float64, _ error) {
	for _, ids := range all {
		good := 0.0
		for k, id := range ids {
			switch {
			case id == g.bad && k > 0 && ids[k-1] == g.not:
				good += 4
			case id == g.bad:
				good--
			case id == g.not:
				good--
			}
		}
		out = append(out, []float64{-math.Log1p(math.Exp(good)), -math.Log1p(math.Exp(-good))})
	}
	return out, nil
}
