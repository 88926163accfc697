package guided

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"pgregory.net/rapid"
)

// vocab is the number of ids of the made-up language: special tokens and words.
const vocab = corpus.NumSpecial + 20

// The type made replaces all models that a Writer uses. Its methods compute their results from the
// given words.
type made struct {
	// coarse makes values multiples of a half, so that many words are equally good.
	coarse bool
	// noise scales an error that is added to the results of Fills and LogProbs. The error depends
	// on the batch, like the rounding of float32 sums.
	noise float64
	calls int
}

// number returns a number from -1 to 1 that depends only on its arguments.
func number(of ...any) float64 {
	h := uint64(14695981039346656037)
	for _, b := range fmt.Append(nil, of...) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	h ^= h >> 29
	return float64(h%20001)/10000 - 1
}

func (m *made) opinion(of ...any) float64 {
	x := number(of...)
	if m.coarse {
		x = math.Round(2*x) / 2
	}
	return x
}

func (m *made) off(of ...any) float64 {
	if m.noise == 0 {
		return 0
	}
	return m.noise * number(of...)
}

func (m *made) Fills(_ context.Context, d corpus.Encoded) ([][][]Fill, error) {
	m.calls++
	out := make([][][]Fill, len(d.IDs))
	for i, ids := range d.IDs {
		for k, on := range d.Masks[i] {
			if !on {
				continue
			}
			var fills []Fill
			for w := int64(corpus.NumSpecial); w < vocab; w++ {
				fills = append(fills, Fill{
					ID: w, LogQ: 2*m.opinion(ids, k, w, d.Targets[i]) - 3 + m.off(m.calls, i, k, w),
				})
			}
			slices.SortStableFunc(fills, func(a, b Fill) int { return cmp.Compare(b.LogQ, a.LogQ) })
			out[i] = append(out[i], fills)
		}
	}
	return out, nil
}

func (m *made) LogProbs(_ context.Context, all [][]int64) ([][]float64, error) {
	m.calls++
	out := make([][]float64, len(all))
	for i, ids := range all {
		logit := m.off(m.calls, i, len(all))
		for _, id := range ids {
			if id != corpus.UnkID {
				logit += 3 * m.opinion("weight", id)
			}
		}
		out[i] = []float64{-math.Log1p(math.Exp(logit)), -math.Log1p(math.Exp(-logit))}
	}
	return out, nil
}

func (m *made) UnigramLogProb(id int64) float64 { return 3*m.opinion("alone", id) - 7 }

func (m *made) Has(t [3]int64) bool { return number("gram", t[:]) > -.3 }

// phrases returns an artificial phrase table, in which each word and some pairs of words have
// counterparts of one to three words.
func (m *made) phrases() *Phrases {
	p := &Phrases{Counterparts: map[corpus.Direction]map[Phrase][]Counterpart{}, LogP: make([][]float64, 2)}
	for style := range p.LogP {
		for id := range vocab {
			p.LogP[style] = append(p.LogP[style], m.opinion("log p", style, id)-5)
		}
	}
	for _, d := range []corpus.Direction{{From: 0, To: 1}, {From: 1, To: 0}} {
		p.Counterparts[d] = map[Phrase][]Counterpart{}
		add := func(ids ...int64) {
			for n := range int64(3) {
				by := make([]int64, 1+n%2+int64(len(ids))/2)
				for k := range by {
					by[k] = corpus.NumSpecial + (7*ids[0]+5*n+3*int64(k)+int64(d.From))%20
				}
				c := Counterpart{IDs: by, Likeness: .5, Gain: 2 + m.opinion("gain", ids, n)}
				p.Counterparts[d][PhraseOf(ids)] = append(p.Counterparts[d][PhraseOf(ids)], c)
			}
		}
		for a := int64(corpus.NumSpecial); a < vocab; a++ {
			add(a)
			add(a, (a+1)%20+corpus.NumSpecial)
		}
	}
	return p
}

// writer returns a Writer that uses the artificial models.
func (m *made) writer(how recipe.Guided) *Writer {
	return &Writer{How: how, Filler: m, Guide: m, Fluency: m, Phrases: m.phrases()}
}

// The variable usual has the default settings.
var usual = recipe.Guided{Style: 1.2, Fluency: .5, StyleCost: 1}

// The function hows draws random settings.
func hows(t *rapid.T) recipe.Guided {
	pick := func(name string, values ...float64) float64 { return rapid.SampledFrom(values).Draw(t, name) }
	return recipe.Guided{
		Style: recipe.OrAuto(pick("style", 0, 1.2, 5)), Fluency: pick("fluency", 0, .5, 2),
		StyleCost: recipe.OrAuto(pick("style cost", 0, .5, 1)),
	}
}

// drawn draws random sentences.
func drawn(t *rapid.T) corpus.Encoded {
	var d corpus.Encoded
	for range rapid.IntRange(1, 5).Draw(t, "sentences") {
		n := rapid.IntRange(1, 7).Draw(t, "words")
		d.IDs = append(d.IDs, rapid.SliceOfN(rapid.Int64Range(corpus.NumSpecial, vocab-1), n, n).Draw(t, "ids"))
		d.Masks = append(d.Masks, rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "masks"))
		d.Kept = append(d.Kept, rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "kept"))
		style := rapid.IntRange(0, 1).Draw(t, "style")
		d.Styles, d.Targets = append(d.Styles, style), append(d.Targets, 1-style)
	}
	return d
}

type fataler interface {
	Helper()
	Fatal(...any)
}

func write(t fataler, w *Writer, d corpus.Encoded, most int) [][]Output {
	t.Helper()
	out, err := w.Write(context.Background(), d, most)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The function judged returns the first sentence of d as an unchanged draft. It sets the fields
// that the methods weigh and judge set.
func judged(t fataler, w *Writer, d corpus.Encoded) *draft {
	t.Helper()
	s := newDraft(d, 0)
	w.weigh(s)
	if err := w.judge(context.Background(), []*draft{s}); err != nil {
		t.Fatal(err)
	}
	return s
}

// sentence returns a sentence of style 0 with all words masked.
func sentence(ids ...int64) corpus.Encoded {
	return corpus.Encoded{
		IDs: [][]int64{ids}, Styles: []int{0}, Targets: []int{1},
		Masks: [][]bool{slices.Repeat([]bool{true}, len(ids))},
	}
}
