package guided

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"pgregory.net/rapid"
)

// vocab is the ids of the made-up language: special tokens and words.
const vocab = corpus.NumSpecial + 20

// made is a filler and a guide whose opinions are made up from the words they see.
type made struct {
	slots  int // 0: it knows none
	asked  int // times that the filler was asked
	judged int // sentences that the guide was asked about
}

// noise is a number in [-1, 1) that only its arguments decide.
func noise(of ...any) float64 {
	h := uint64(14695981039346656037)
	for _, b := range fmt.Append(nil, of...) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	h ^= h >> 29
	return float64(h%20000)/10000 - 1
}

func (m *made) Fills(_ context.Context, d corpus.Encoded, own bool) ([][][]Fill, error) {
	m.asked++
	out := make([][][]Fill, len(d.IDs))
	for i, ids := range d.IDs {
		seen := slices.Clone(ids)
		for k, on := range d.Masks[i] {
			if on {
				seen[k] = corpus.MaskID
			}
		}
		for k, on := range d.Masks[i] {
			if !on {
				continue
			}
			var fills []Fill
			for w := int64(corpus.NumSpecial); w < vocab; w++ {
				f := Fill{ID: w, Asked: 2*noise(seen, k, w, d.Asked[i]) - 3}
				if own {
					f.Own = 2 * noise(seen, k, w, d.Styles[i])
				}
				fills = append(fills, f)
			}
			slices.SortStableFunc(fills, func(a, b Fill) int {
				switch {
				case a.Asked > b.Asked:
					return -1
				case a.Asked < b.Asked:
					return 1
				}
				return 0
			})
			if m.slots > 0 {
				empty := Fill{ID: Empty, Asked: noise(seen, k, "empty", d.Asked[i]) - 1}
				if own {
					empty.Own = 2 * noise(seen, k, "empty", d.Styles[i])
				}
				fills = append(fills, empty)
			}
			out[i] = append(out[i], fills)
		}
	}
	return out, nil
}

func (m *made) LogProbs(_ context.Context, all [][]int64) ([][]float64, error) {
	m.judged += len(all)
	out := make([][]float64, len(all))
	for i, ids := range all {
		logit := 0.0
		for _, id := range ids {
			if id != corpus.UnkID {
				logit += 2 * noise("weight", id)
			}
		}
		out[i] = []float64{-math.Log1p(math.Exp(logit)), -math.Log1p(math.Exp(-logit))}
	}
	return out, nil
}

// Window and LogProb make up how well neighbours go together.
func (m *made) Window(ids []int64, k int) float64 {
	sum := 0.0
	for i := max(k, 1); i <= min(k+1, len(ids)-1); i++ {
		sum += m.pair(ids[i-1], ids[i])
	}
	return sum
}

func (*made) Alone(id int64) float64 { return noise("alone", id) - 4 }

func (m *made) LogProb(ids []int64) float64 {
	sum := 0.0
	for i := 1; i < len(ids); i++ {
		sum += m.pair(ids[i-1], ids[i])
	}
	return sum
}

func (*made) pair(a, b int64) float64 {
	if a == corpus.MaskID || b == corpus.MaskID {
		return 0
	}
	return 3*noise("pair", a, b) - 3
}

// off is plain refilling.
var off = recipe.Guided{Plausible: .05, Order: recipe.AtOnce, Candidates: 1}

// hows draws settings, each part on or off.
func hows(t *rapid.T) recipe.Guided {
	pick := func(name string, values ...float64) float64 { return rapid.SampledFrom(values).Draw(t, name) }
	return recipe.Guided{
		Gamma: pick("gamma", 0, 1), Plausible: pick("plausible", .01, .2), Price: pick("price", 0, .3),
		Fluency: pick("fluency", 0, .5), NoRepeats: rapid.Bool().Draw(t, "no repeats"),
		Order:      rapid.SampledFrom([]recipe.Order{recipe.AtOnce, recipe.Confident}).Draw(t, "order"),
		Candidates: rapid.IntRange(1, 4).Draw(t, "candidates"), GuideWeight: pick("weight", 0, 3),
		MoreMasks: rapid.IntRange(0, 3).Draw(t, "more"), Doubt: .9, Restore: pick("restored", 0, .6, .9),
		Revise: rapid.Bool().Draw(t, "revise"), ReviseGamma: pick("revise gamma", 0, .5),
		Evidence: pick("evidence", 0, 1),
	}
}

func drawn(t *rapid.T) corpus.Encoded {
	var d corpus.Encoded
	for range rapid.IntRange(1, 5).Draw(t, "sentences") {
		n := rapid.IntRange(1, 7).Draw(t, "words")
		d.IDs = append(d.IDs, rapid.SliceOfN(rapid.Int64Range(corpus.NumSpecial, vocab-1), n, n).Draw(t, "ids"))
		d.Masks = append(d.Masks, rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "masks"))
		style := rapid.IntRange(0, 1).Draw(t, "style")
		d.Styles, d.Asked = append(d.Styles, style), append(d.Asked, 1-style)
	}
	return d
}

// refiller is one of the made-up filler and guide.
func refiller(how recipe.Guided) *Refiller {
	r := &Refiller{How: how, Filler: &made{}, Fluency: &made{}, Seed: 7}
	if how.AsksGuide() {
		r.Guide = &made{}
	}
	r.LogShare = make([][]float64, 2)
	for style := range r.LogShare {
		for w := range vocab {
			r.LogShare[style] = append(r.LogShare[style], -3+noise("share", style, w))
		}
	}
	return r
}

func transfer(t interface{ Fatal(...any) }, r *Refiller, d corpus.Encoded) []Output {
	out, err := r.Transfer(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestOffIsTheLikeliest: with everything off each mask gets its likeliest word, all in one pass.
func TestOffIsTheLikeliest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, r := drawn(t), refiller(off)
		fills, _ := (&made{}).Fills(context.Background(), d, false)
		for i, o := range transfer(t, r, d) {
			at := 0
			for k, w := range o.Words {
				want := Word{ID: d.IDs[i][k], Place: k, Origin: Kept}
				if d.Masks[i][k] {
					likeliest := fills[i][at][0]
					want, at = Word{ID: likeliest.ID, Place: k, Origin: Refilled, Asked: likeliest.Asked}, at+1
				}
				if w != want {
					t.Fatalf("sentence %d, word %d: %+v, want %+v", i, k, w, want)
				}
			}
		}
		if m, _ := r.Filler.(*made); m.asked > 1 {
			t.Fatalf("the filler was asked %d times", m.asked)
		}
	})
}

// TestOnlyMasksChange: a word of an output is the source's unless attention masked it, or it was
// masked beside, which happens to half a sentence at most; and every word says so.
func TestOnlyMasksChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		how, d := hows(t), drawn(t)
		for i, o := range transfer(t, refiller(how), d) {
			added, masked := 0, 0
			for k, w := range o.Words {
				if w.Origin != Kept {
					masked++
				}
				switch w.Origin {
				case Added:
					added++
					if d.Masks[i][k] || how.MoreMasks == 0 {
						t.Fatalf("sentence %d, word %d is called added", i, k)
					}
				case Refilled:
					if !d.Masks[i][k] {
						t.Fatalf("sentence %d, word %d was not masked, and is refilled", i, k)
					}
				case Kept:
					if d.Masks[i][k] && how.Evidence == 0 {
						t.Fatalf("sentence %d, word %d was masked, and is called kept", i, k)
					}
				case Restored:
					if how.Restore == 0 {
						t.Fatalf("sentence %d, word %d was restored unasked", i, k)
					}
				}
				if w.OfSource() && w.ID != d.IDs[i][k] || w.ID < corpus.NumSpecial {
					t.Fatalf("sentence %d, word %d is %+v, the source's is %d", i, k, w, d.IDs[i][k])
				}
			}
			if added > how.MoreMasks || added > 0 && 2*masked > len(o.Words) {
				t.Fatalf("of %d words %d were masked, %d of them added", len(o.Words), masked, added)
			}
		}
	})
}

// TestNoRepeatsInOutputs: with no_repeats no word of an output is its neighbour's like, chosen,
// restored or added, or because what stood between them is deleted, but where the source has it
// beside itself.
func TestNoRepeatsInOutputs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		how, d := hows(t), drawn(t)
		how.NoRepeats = true
		slots := drawnSlots(t, &how)
		for i, o := range transfer(t, withSlots(how, slots), d) {
			words, source := o.Standing(), d.IDs[i]
			twice := func(k int, id int64) bool { // in the source, from word k on
				return k >= 0 && k+1 < len(source) && source[k] == id && source[k+1] == id
			}
			for k := 1; k < len(words); k++ {
				a, b := words[k-1], words[k]
				if a.ID == b.ID && !twice(a.Place, a.ID) && !twice(b.Place-1, a.ID) {
					t.Fatalf("%v of %v: word %d is %+v beside %+v", o.IDs(), source, k, b, a)
				}
			}
		}
	})
}

// TestNeighboursChangeNothing: sentences one by one and in the opposite order come out the same.
func TestNeighboursChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		how, d := hows(t), drawn(t)
		slots := drawnSlots(t, &how)
		all := transfer(t, withSlots(how, slots), d)
		n := len(all)
		order := numbers(n)
		slices.Reverse(order)
		back := transfer(t, withSlots(how, slots), inOrder(d, order))
		for i, o := range all {
			one := d.Slice(i, i+1)
			alone := transfer(t, withSlots(how, slots), one)[0]
			if !slices.Equal(o.Words, alone.Words) || !slices.Equal(o.Words, back[n-1-i].Words) {
				t.Fatalf("sentence %d: %v among others, %v alone, %v in the opposite order",
					i, o.Words, alone.Words, back[n-1-i].Words)
			}
		}
	})
}

// TestTheGuideStaysSure: words return without the guide falling below what was asked, or below what
// it was, and so do words that are chosen once more; further masks make it surer; and what is
// restored could not be restored before.
func TestTheGuideStaysSure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		how, d := hows(t), drawn(t)
		how.Restore = .7
		slots := drawnSlots(t, &how)
		if how.Revise {
			slots = 0 // which is where a mask becomes several words
		}
		without := how
		without.Restore, without.Revise = 0, false
		plain := without
		plain.MoreMasks = 0
		sure := func(o Output, style int) float64 {
			logs, _ := (&made{}).LogProbs(context.Background(), [][]int64{o.IDs()})
			return math.Exp(logs[0][1-style])
		}
		base, before, after := transfer(t, withSlots(plain, slots), d), transfer(t, withSlots(without, slots), d),
			transfer(t, withSlots(how, slots), d)
		for i := range d.IDs {
			s := d.Styles[i]
			// Each word that returned or was chosen once more may take off what is rounding.
			less := math.Exp(-2 * rounding * float64(len(d.IDs[i])))
			if got := sure(after[i], s); got < less*min(how.Restore, sure(before[i], s)) || got != after[i].Sure {
				t.Fatalf("sentence %d: the guide was sure %v, is %v, which is called %v",
					i, sure(before[i], s), got, after[i].Sure)
			}
			back, last, least := false, false, less*min(how.Restore, before[i].Sure)
			for _, w := range after[i].Words {
				isBack := w.Origin == Restored
				back, last = back || isBack, last || w.Sure == after[i].Sure
				if isBack && w.Sure < least || !isBack && w.Sure != 0 {
					t.Fatalf("sentence %d: a word %s left the guide %v sure, at least %v", i, w.Origin, w.Sure, least)
				}
			}
			if back != last && !how.Revise { // else a word chosen once more may have made it so
				t.Fatalf("sentence %d: no restored word made the guide %v sure: %+v", i, after[i].Sure, after[i].Words)
			}
			if sure(before[i], s) < sure(base[i], s) {
				t.Fatalf("sentence %d: further masks made the guide less sure", i)
			}
		}
	})
}

// inOrder returns sentences in another order.
func inOrder(d corpus.Encoded, order []int) (out corpus.Encoded) {
	for _, i := range order {
		out.IDs, out.Masks = append(out.IDs, d.IDs[i]), append(out.Masks, d.Masks[i])
		out.Styles, out.Asked = append(out.Styles, d.Styles[i]), append(out.Asked, d.Asked[i])
	}
	return out
}

// numbers returns 0 to n-1.
func numbers(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// TestKeepUnknown: a further mask takes a word that the vocabulary lacks unless it is to be kept.
func TestKeepUnknown(t *testing.T) {
	taken := map[bool]int{}
	for first := range int64(200) {
		d := corpus.Encoded{
			IDs:    [][]int64{{corpus.NumSpecial + first, corpus.UnkID, corpus.NumSpecial + 3, corpus.NumSpecial + 4}},
			Styles: []int{0}, Asked: []int{1}, Masks: [][]bool{{false, false, false, true}},
		}
		for _, keep := range []bool{false, true} {
			r := refiller(recipe.Guided{Plausible: .1, Candidates: 1, MoreMasks: 1, Doubt: 1})
			r.KeepUnknown = keep
			if transfer(t, r, d)[0].Words[1].Origin != Kept {
				taken[keep]++
			}
		}
	}
	if taken[false] == 0 || taken[true] != 0 {
		t.Errorf("of 200 unknown words %d were taken, and %d where they are to be kept", taken[false], taken[true])
	}
}

// TestKeptTakeNoMask: no way to mask further words takes one that is never masked.
func TestKeptTakeNoMask(t *testing.T) {
	for name, how := range map[string]recipe.Guided{
		"more_masks":    {Plausible: .1, Candidates: 1, MoreMasks: 2, Doubt: 1},
		"mask_contrast": {Plausible: .1, Candidates: 1, MaskContrast: 1e-6},
	} {
		taken := map[bool]int{}
		for first := range int64(200) {
			for _, kept := range []bool{false, true} {
				const a = corpus.NumSpecial
				d := corpus.Encoded{
					IDs: [][]int64{{a + first, a + 1, a + 3, a + 4}}, Styles: []int{0}, Asked: []int{1},
					Masks: [][]bool{{false, false, false, true}},
				}
				if kept {
					d.Kept = [][]bool{{true, false, false, false}}
				}
				r := refiller(how)
				r.Likelihood = &made{}
				if transfer(t, r, d)[0].Words[0].Origin != Kept {
					taken[kept]++
				}
			}
		}
		if taken[false] == 0 || taken[true] != 0 {
			t.Errorf("%s: of 200 words %d were taken, and %d where they are to be kept", name, taken[false], taken[true])
		}
	}
}

// three is a guide of three styles that takes every sentence for each with its own probability.
type three struct{}

func (three) LogProbs(_ context.Context, all [][]int64) ([][]float64, error) {
	return slices.Repeat([][]float64{{math.Log(.2), math.Log(.3), math.Log(.5)}}, len(all)), nil
}

// TestAskedOfThree: a sentence is judged by the style that it is to have, of more than two too.
func TestAskedOfThree(t *testing.T) {
	ids, masks := []int64{corpus.NumSpecial, corpus.NumSpecial + 1}, []bool{true, false}
	styles := corpus.Styles{"a", "b", "c"}
	d := corpus.Encoded{
		IDs: slices.Repeat([][]int64{ids}, 3), Styles: []int{0, 1, 2}, Masks: slices.Repeat([][]bool{masks}, 3),
	}.Ask(styles.Directions())
	how := recipe.Guided{Plausible: .1, Candidates: 1, Restore: .1}
	r := &Refiller{How: how, Filler: &made{}, Guide: three{}}
	for i, o := range transfer(t, r, d) {
		if want := []float64{.2, .3, .5}[d.Asked[i]]; math.Abs(o.Sure-want) > 1e-12 {
			t.Errorf("%s: the guide is %v sure, want %v", styles.Name(styles.Directions()[i]), o.Sure, want)
		}
	}
}
