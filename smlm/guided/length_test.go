package guided

import (
	"context"
	"math"
	"reflect"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"pgregory.net/rapid"
)

// withSlots is refiller with a filler that knows slots.
func withSlots(how recipe.Guided, slots int) *Refiller {
	r := refiller(how)
	r.Filler, r.Slots = &made{slots: slots}, slots
	return r
}

// drawnSlots draws how many slots a mask has, if any, and the settings of its length.
func drawnSlots(t *rapid.T, how *recipe.Guided) int {
	how.Length = rapid.SampledFrom([]float64{-100, -1, 0, 1, 100}).Draw(t, "length")
	how.LengthGamma = rapid.SampledFrom([]float64{0, 1}).Draw(t, "length gamma")
	how.LengthFit = rapid.SampledFrom([]float64{0, 5}).Draw(t, "length fit")
	return rapid.IntRange(0, 3).Draw(t, "slots")
}

// TestSlots: whatever the settings, an output has a word; its words stand in the order of the
// places they stand for, no more in each than there are slots; each place has a word or is said to
// be deleted; kept and restored words are the source's; no special word is written.
func TestSlots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		how, d := hows(t), drawn(t)
		slots := max(1, drawnSlots(t, &how))
		for i, o := range transfer(t, withSlots(how, slots), d) {
			if len(o.IDs()) == 0 {
				t.Fatalf("sentence %d has no word", i)
			}
			at, n := -1, 0
			for _, w := range o.Words {
				if w.Place == at {
					n++
				} else {
					at, n = at+1, 1
				}
				switch {
				case w.Place != at || n > slots:
					t.Fatalf("sentence %d: %+v", i, o.Words)
				case (w.Origin == Inserted) != (n > 1):
					t.Fatalf("sentence %d: word %d of place %d is %s", i, n, at, w.Origin)
				case w.OfSource() && w.ID != d.IDs[i][at]:
					t.Fatalf("sentence %d: word %d in place %d, which is %s", i, w.ID, at, w.Origin)
				case (w.Origin == Deleted) != (w.ID == Empty) || w.ID != Empty && w.ID < corpus.NumSpecial:
					t.Fatalf("sentence %d: word %d is %s", i, w.ID, w.Origin)
				}
			}
			if at != len(d.IDs[i])-1 {
				t.Fatalf("sentence %d has %d places of %d", i, at+1, len(d.IDs[i]))
			}
		}
	})
}

// TestLongest: with the largest length, all slots of every place that is changed have words.
func TestLongest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		how, d, slots := hows(t), drawn(t), rapid.IntRange(1, 3).Draw(t, "slots")
		how.Length, how.Revise = 100, false // which has one word in a place where the guide does not let it have more
		for i, o := range transfer(t, withSlots(how, slots), d) {
			words := make([]int, len(d.IDs[i]))
			for _, w := range o.Words {
				words[w.Place]++
			}
			for _, w := range o.Words {
				if !w.OfSource() && (w.Origin == Deleted || words[w.Place] != slots) {
					t.Fatalf("sentence %d has %d words of %d slots: %+v of %+v", i, words[w.Place], slots, w, o.Words)
				}
			}
		}
	})
}

// TestShortest: with the smallest length, nothing stands in a place that is changed, but for one
// word where there would be none in the sentence, or one beside itself with no_repeats.
func TestShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		how, d, slots := hows(t), drawn(t), rapid.IntRange(1, 3).Draw(t, "slots")
		how.Length, how.Restore, how.Revise = -100, 0, false // what stays depends on what stood beside it then
		for i, o := range transfer(t, withSlots(how, slots), d) {
			words := o.Standing()
			for k, w := range words {
				if w.OfSource() || len(words) == 1 {
					continue
				}
				between := how.NoRepeats && 0 < k && k+1 < len(words) && words[k-1].ID == words[k+1].ID
				if w.Origin == Inserted || !between {
					t.Fatalf("sentence %d of %v: word %d, %s, stays in %v", i, d.IDs[i], k, w.Origin, o.IDs())
				}
			}
		}
	})
}

// many is a made-up filler and guide of more styles than two.
type many struct {
	made
	styles int
}

func (m *many) LogProbs(_ context.Context, all [][]int64) ([][]float64, error) {
	return lists.Map(all, func(ids []int64) []float64 {
		logs, sum := make([]float64, m.styles), 0.0
		for style := range logs {
			for _, id := range ids {
				if id != corpus.UnkID {
					logs[style] += 2 * noise("weight", id, style)
				}
			}
			sum += math.Exp(logs[style])
		}
		return lists.Map(logs, func(l float64) float64 { return l - math.Log(sum) })
	}), nil
}

// contrasting is a refiller that contrasts styles in every way.
func contrasting(t *rapid.T) *Refiller {
	pick := func(name string, values ...float64) float64 { return rapid.SampledFrom(values).Draw(t, name) }
	how := hows(t)
	how.Contrast, how.MaskContrast = pick("contrast", 0, .5), pick("mask contrast", 0, .5)
	how.RestoreContrast = pick("restore contrast", 0, .5)
	r := rankedRefiller(how, drawnSlots(t, &how))
	r.How.Ranked = rapid.Bool().Draw(t, "ranked")
	return r
}

// TestLengths: of two styles and of more, one length for every direction is the single number,
// whatever that is; and where directions have lengths of their own, each sentence becomes what it
// becomes with that of its direction alone.
func TestLengths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, r := drawn(t), contrasting(t)
		styles := rapid.IntRange(2, 4).Draw(t, "styles")
		r.Guide = &many{styles: styles}
		for range styles - len(r.LogShare) {
			r.LogShare = append(r.LogShare, r.LogShare[0])
		}
		directions := corpus.Styles(make([]string, styles)).Directions()
		ways := lists.Map(d.IDs, func([]int64) corpus.Direction {
			return rapid.SampledFrom(directions).Draw(t, "direction")
		})
		for i, way := range ways {
			d.Styles[i], d.Asked[i] = way.From, way.To
		}
		const low, high = -2, 2
		by := func(length float64, lengths map[corpus.Direction]float64) []Output {
			r.How.Length, r.Lengths = length, lengths
			return transfer(t, r, d)
		}
		alone := map[float64][]Output{low: by(low, nil), high: by(high, nil)}
		all, some := map[corpus.Direction]float64{}, map[corpus.Direction]float64{}
		for _, way := range directions {
			if all[way] = high; rapid.Bool().Draw(t, "high") {
				some[way] = high
			}
		}
		if got := by(low, all); !reflect.DeepEqual(got, alone[high]) {
			t.Fatalf("one length for all directions: %+v, as a number %+v", got, alone[high])
		}
		for i, got := range by(low, some) {
			length := float64(low)
			if own, ok := some[ways[i]]; ok {
				length = own
			}
			if want := alone[length][i]; !reflect.DeepEqual(got, want) {
				t.Fatalf("sentence %d with the length %g of %v: %+v, want %+v", i, length, ways[i], got, want)
			}
		}
	})
}

// withCells returns a draft of which some places are open, some empty and some hold other words. In
// now 0 is an open place and Empty one where nothing stands.
func withCells(source, now []int64) filling {
	f := filling{draft: newDraft(corpus.Encoded{
		IDs: [][]int64{source}, Styles: []int{0}, Asked: []int{1}, Masks: [][]bool{make([]bool, len(source))},
	}, 0), open: make([]bool, len(source))}
	for k, id := range now {
		f.open[k] = id == 0
		if id != source[k] {
			f.write(k, Fill{ID: id}, Fill{ID: Empty})
		}
	}
	return f
}

// TestMayGo: the last word stays, and with no_repeats one without which two equal words would stand
// side by side; a mask that is open is no word like another.
func TestMayGo(t *testing.T) {
	const a, b, e = corpus.NumSpecial, corpus.NumSpecial + 1, Empty
	for _, c := range []struct {
		now                []int64
		k                  int
		noRepeats, without bool // whether it may go with no_repeats, and without
	}{
		{[]int64{0}, 0, false, false},
		{[]int64{e, 0, e}, 1, false, false},
		{[]int64{0, 0}, 0, true, true},
		{[]int64{a, 0, a}, 1, false, true},
		{[]int64{a, 0, b}, 1, true, true},
		{[]int64{a, 0, e, a}, 1, false, true},
		{[]int64{a, e, 0, a}, 2, false, true},
		{[]int64{a, 0, 0, a}, 1, true, true},
		{[]int64{b, 0, 0, 0, b}, 2, true, true},
		{[]int64{0, a, a}, 0, true, true},
		{[]int64{a, a, 0}, 2, true, true},
	} {
		f := withCells(make([]int64, len(c.now)), c.now)
		for noRepeats, want := range map[bool]bool{true: c.noRepeats, false: c.without} {
			r := &Refiller{How: recipe.Guided{NoRepeats: noRepeats}, Slots: 2}
			if got := r.mayGo(f, c.k); got != want {
				t.Errorf("%v, place %d, no_repeats %v: it may go is %v", c.now, c.k, noRepeats, got)
			}
		}
	}
}

// TestRepeatsOverGaps: a word of the source does not return beside itself because what stood
// between is deleted, but where the source has it so.
func TestRepeatsOverGaps(t *testing.T) {
	const a, b, c, e = corpus.NumSpecial, corpus.NumSpecial + 1, corpus.NumSpecial + 2, Empty
	for _, of := range []struct {
		source, now []int64
		k           int
		want        bool
	}{
		{[]int64{a, b, a}, []int64{a, e, c}, 2, true},
		{[]int64{a, b, a}, []int64{c, e, a}, 0, true},
		{[]int64{a, b, a}, []int64{a, b, c}, 2, false},
		{[]int64{a, a, a}, []int64{a, e, c}, 2, false},
		{[]int64{a, a, a}, []int64{c, e, a}, 0, false},
		{[]int64{b, c, c}, []int64{a, e, c}, 1, false},
		{[]int64{b, c, c}, []int64{c, e, c}, 1, true},
		{[]int64{b, c, b}, []int64{c, e, b}, 1, true},
		{[]int64{a, b}, []int64{e, c}, 1, false},
	} {
		if got := withCells(of.source, of.now).repeats(of.k); got != of.want {
			t.Errorf("%v, now %v: word %d would stand beside itself is %v", of.source, of.now, of.k, got)
		}
	}
}

// TestSlotsAreDrawnApart: of two words that are as likely at both slots of a place, the same one is
// drawn at both in half of the candidates.
func TestSlotsAreDrawnApart(t *testing.T) {
	const a, n = corpus.NumSpecial, 4000
	slot := []Fill{{ID: a, Asked: math.Log(.5)}, {ID: a + 1, Asked: math.Log(.5)}, {ID: Empty, Asked: -20}}
	r := &Refiller{How: recipe.Guided{Plausible: .1}, Slots: 2}
	of := newDraft(corpus.Encoded{
		IDs: [][]int64{{a + 2, a + 3}}, Styles: []int{0}, Asked: []int{1}, Masks: [][]bool{{true, false}},
	}, 0)
	same, first := 0, 0
	for i := range n {
		f := filling{draft: of, open: []bool{true, false}, draws: &draws{seed: 1, stream: uint64(i)}}
		chosen := r.chooseAll(f, 0, [][]Fill{slot, slot})
		if chosen[0].ID == chosen[1].ID {
			same++
		}
		if chosen[0].ID == a {
			first++
		}
	}
	for what, got := range map[string]int{"the same word twice": same, "the first word first": first} {
		if math.Abs(float64(got)-n/2) > 5*math.Sqrt(n/4) {
			t.Errorf("%s: in %d of %d draws", what, got, n)
		}
	}
}

// TestLengthIsDrawn: how many words stand in a place is drawn from the softmax of the scores of
// length.
func TestLengthIsDrawn(t *testing.T) {
	const a, n = corpus.NumSpecial, 6000
	slot := []Fill{{ID: a, Asked: -1}, {ID: Empty, Asked: math.Log(.5)}}
	of := newDraft(corpus.Encoded{
		IDs: [][]int64{{a + 2, a + 3}}, Styles: []int{0}, Asked: []int{1}, Masks: [][]bool{{true, false}},
	}, 0)
	for _, length := range []float64{0, .5, -1} {
		r := &Refiller{How: recipe.Guided{Plausible: .1, Length: length}, Slots: 2}
		var seen [3]int
		for i := range n {
			f := filling{draft: of, open: []bool{true, false}, draws: &draws{seed: 1, stream: uint64(i)}}
			seen[r.length(f, 0, [][]Fill{slot, slot})]++
		}
		each := math.Exp(length) // the odds of one word more: the slots are as likely empty as not
		for words, got := range seen {
			p := math.Pow(each, float64(words)) / (1 + each + each*each)
			if math.Abs(float64(got)-n*p) > 5*math.Sqrt(n*p*(1-p)) {
				t.Errorf("length %v: %d of %d draws have %d words, want a share of %v", length, got, n, words, p)
			}
		}
	}
}

// TestRestoredAlone: the source's word returns to a place where it stands beside an inserted one.
func TestRestoredAlone(t *testing.T) {
	const a = corpus.NumSpecial
	s := newDraft(corpus.Encoded{
		IDs: [][]int64{{a, a + 1}}, Styles: []int{0}, Asked: []int{1}, Masks: [][]bool{{true, false}},
	}, 0)
	s.write(0, Fill{ID: a}, Fill{ID: a + 2})
	s.sure = .9
	r := &Refiller{How: recipe.Guided{Restore: .5}, Guide: byWord{odds: map[int64]float64{a + 1: 3}}}
	if err := r.restore(t.Context(), []*draft{s}); err != nil {
		t.Fatal(err)
	}
	if o := s.output(); len(o.Words) != 2 || o.Words[0].ID != a || o.Words[0].Origin != Restored {
		t.Errorf("%+v, want the source with its first word restored", o.Words)
	}
}
