package guided

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"pgregory.net/rapid"
)

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

// TestRestOfTwo: of two styles the rest is the source's, to the last bit.
func TestRestOfTwo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, r := drawn(t), contrasting(t)
		want := transfer(t, r, d)
		r.How.AgainstRest = true
		if got := transfer(t, r, d); !reflect.DeepEqual(got, want) {
			t.Fatalf("against the rest %+v, against the source's style %+v", got, want)
		}
	})
}

// TestRestNeedsNoSource: against the rest, of whichever style a source is said to be, it becomes
// the same.
func TestRestNeedsNoSource(t *testing.T) {
	const styles = 4
	rapid.Check(t, func(t *rapid.T) {
		d, r := drawn(t), contrasting(t)
		r.How.AgainstRest, r.How.Candidates, r.Styles = true, 1, styles
		r.Guide = &many{styles: styles}
		for range styles - len(r.LogShare) {
			r.LogShare = append(r.LogShare, r.LogShare[0])
		}
		for i := range d.Asked {
			d.Asked[i] = rapid.IntRange(0, styles-1).Draw(t, "asked")
		}
		want := transfer(t, r, d)
		d.Styles = slices.Clone(d.Asked)
		if got := transfer(t, r, d); !reflect.DeepEqual(got, want) {
			t.Fatalf("of the style asked for %+v, of another %+v", got, want)
		}
	})
}

// TestMeansOfTheRest: the contrast and the evidence of words are those of the mean of q and p over
// all styles but the one asked for.
func TestMeansOfTheRest(t *testing.T) {
	const styles = 3
	rapid.Check(t, func(t *rapid.T) {
		d, r := drawn(t).Slice(0, 1), contrasting(t)
		r.How.AgainstRest, r.Styles = true, styles
		guide := &many{styles: styles}
		r.Guide, d.Asked[0] = guide, rapid.IntRange(0, styles-1).Draw(t, "asked")
		s := newDraft(d, 0)
		odds := func(of []float64) float64 { // log of the mean of the others, less that of the one asked for
			others := slices.Delete(slices.Clone(of), s.asked, s.asked+1)
			return math.Log((math.Exp(others[0])+math.Exp(others[1]))/2) - of[s.asked]
		}
		every := func(*draft, int) bool { return true }
		_, falls, err := r.falls(t.Context(), []*draft{s}, every, corpus.UnkID)
		if err != nil {
			t.Fatal(err)
		}
		contrasts, err := r.contrasts(t.Context(), []*draft{s}, every)
		if err != nil {
			t.Fatal(err)
		}
		for k := range s.source {
			logs, _ := guide.LogProbs(t.Context(), [][]int64{s.source, s.ids(k, corpus.UnkID)})
			if want := odds(logs[0]) - odds(logs[1]); math.Abs(falls[0][k]-want) > 1e-9 {
				t.Fatalf("word %d: evidence %v, want %v", k, falls[0][k], want)
			}
			var of []float64
			for style := range styles {
				var d corpus.Encoded
				var places []int
				for j := k % apart; j < len(s.source); j += apart {
					places = append(places, j)
				}
				r.addSource(&d, s, places, style)
				logs, _ := r.Likelihood.LogQ(t.Context(), d)
				of = append(of, logs[0][k/apart*max(1, r.Slots)])
			}
			if want := odds(of); math.Abs(contrasts[0][k]-want) > 1e-9 {
				t.Fatalf("word %d: contrast %v, want %v", k, contrasts[0][k], want)
			}
		}
	})
}
