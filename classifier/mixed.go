package classifier

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// A Mixer makes examples of texts that are of no style as a whole, as "the staff was kind and
// rude": the class that follows the styles. A classifier of the styles alone is satisfied by the
// sum of its evidence, and takes such a text for the style that has more of it; readers do not.
type Mixer struct {
	how       recipe.Mixed
	styles    int
	odds      *Odds
	words     [][]int64 // of each style those of at least how.LogOdds
	joiners   []int64
	negations []int64
	sign      []bool // of each word by id: it has no letter and no digit
}

// shortest and short bound the words of a clause that is joined, and of the text that it is joined
// to.
const shortest, short = 2, 9

// NewMixer returns one whose style words are those of the training text, of so many styles. Where
// a style has none of how.LogOdds, as in a few sentences, it is the word of the highest log odds.
func NewMixer(train corpus.Encoded, styles int, v *corpus.Vocab, how recipe.Mixed) *Mixer {
	m := &Mixer{how: how, styles: styles, joiners: idsOf(v, how.Joiners), negations: idsOf(v, how.Negations)}
	m.odds = CountOdds(train, styles, v.Len())
	for s := range styles {
		words := m.odds.Words(s, how.LogOdds)
		if len(words) == 0 {
			words = []int64{m.odds.best(s)}
		}
		m.words = append(m.words, words)
	}
	m.sign = make([]bool, v.Len())
	for id := range m.sign {
		m.sign[id] = !strings.ContainsFunc(v.Word(int64(id)), func(r rune) bool {
			return unicode.IsLetter(r) || unicode.IsDigit(r)
		})
	}
	return m
}

// idsOf returns the ids of those words that the vocabulary has.
func idsOf(v *corpus.Vocab, words []string) (ids []int64) {
	for _, word := range words {
		if id := v.ID(word); known(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Class is the class of mixed texts.
func (m *Mixer) Class() int { return m.styles }

// With returns the texts and, behind them, examples made of them, which are how.Share of all; those
// of "negated" keep the style of their text. Where texts are such that no other mixed ones can be
// made of them, one of one style and one of another are put side by side. Of texts of one style
// alone there are none. The draws are those of the seed.
func (m *Mixer) With(d corpus.Encoded, seed uint64) corpus.Encoded {
	rng := rand.New(rand.NewPCG(seed, 0x6d69786564)) // "mixed"
	by := make([][]int, m.styles)
	for i, s := range d.Styles {
		by[s] = append(by[s], i)
	}
	kinds := []struct {
		part float64
		make func(*drawnTexts) ([]int64, int)
	}{
		{m.how.Joined, m.joined},
		{m.how.Exchanged, m.exchanged},
		{m.how.Restored, m.restored},
		{m.how.Negated, m.negated},
	}
	sum := 0.0
	for _, k := range kinds {
		sum += k.part
	}
	out := corpus.Encoded{IDs: slices.Clone(d.IDs), Styles: slices.Clone(d.Styles)}
	want := int(math.Round(float64(len(d.IDs)) * m.how.Share / (1 - m.how.Share)))
	texts := &drawnTexts{d: d, by: by, rng: rng}
	for tries := 0; len(out.IDs) < len(d.IDs)+want && tries < 200*want; tries++ {
		if tries >= 100*want {
			if one, other := texts.styles(); len(by[one]) > 0 && len(by[other]) > 0 {
				out.IDs = append(out.IDs, slices.Concat(texts.text(one), texts.text(other)))
				out.Styles = append(out.Styles, m.Class())
			}
			continue
		}
		at, kind := rng.Float64()*sum, 0
		for at >= kinds[kind].part && kind+1 < len(kinds) {
			at -= kinds[kind].part
			kind++
		}
		if ids, class := kinds[kind].make(texts); ids != nil {
			out.IDs, out.Styles = append(out.IDs, ids), append(out.Styles, class)
		}
	}
	return out
}

// drawnTexts draws texts of a data set.
type drawnTexts struct {
	d   corpus.Encoded
	by  [][]int // of each style its texts
	rng *rand.Rand
}

// styles draws two styles.
func (t *drawnTexts) styles() (one, other int) {
	one = t.rng.IntN(len(t.by))
	other = t.rng.IntN(len(t.by) - 1)
	if other >= one {
		other++
	}
	return one, other
}

// text draws a text of a style.
func (t *drawnTexts) text(style int) []int64 {
	if len(t.by[style]) == 0 {
		return nil
	}
	return t.d.IDs[t.by[style][t.rng.IntN(len(t.by[style]))]]
}

// carries tells whether a word is a style word of a style.
func (m *Mixer) carries(style int, id int64) bool {
	return known(id) && m.odds.of[style][id] >= m.how.LogOdds
}

// places returns where a text has style words of its style.
func (m *Mixer) places(ids []int64, style int) (at []int) {
	for k, id := range ids {
		if m.carries(style, id) {
			at = append(at, k)
		}
	}
	return at
}

// drawn draws one of some words.
func drawn(rng *rand.Rand, words []int64) int64 { return words[rng.IntN(len(words))] }

// clause returns the start of a text up to a word that joins clauses, or a short text without the
// sign at its end; nil where there is none.
func (m *Mixer) clause(ids []int64) []int64 {
	for k := shortest; k < len(ids)-shortest; k++ {
		if slices.Contains(m.joiners, ids[k]) {
			return ids[:k]
		}
	}
	if len(ids) > short {
		return nil
	}
	for len(ids) > 0 && m.sign[ids[len(ids)-1]] {
		ids = ids[:len(ids)-1]
	}
	return ids
}

// joined makes "CLAUSE and TEXT" of a clause of one style and a short text of another.
func (m *Mixer) joined(t *drawnTexts) ([]int64, int) {
	one, other := t.styles()
	clause, text := m.clause(t.text(one)), t.text(other)
	if len(m.joiners) == 0 || len(text) > short || len(m.places(clause, one)) == 0 || len(m.places(text, other)) == 0 {
		return nil, 0
	}
	return slices.Concat(clause, []int64{drawn(t.rng, m.joiners)}, text), m.Class()
}

// exchanged exchanges one of several style words for one of another style.
func (m *Mixer) exchanged(t *drawnTexts) ([]int64, int) {
	return m.exchange(t, func(int) int { return 1 })
}

// restored exchanges all style words but one.
func (m *Mixer) restored(t *drawnTexts) ([]int64, int) {
	return m.exchange(t, func(places int) int { return places - 1 })
}

// exchange exchanges as many style words of a text as count says.
func (m *Mixer) exchange(t *drawnTexts, count func(places int) int) ([]int64, int) {
	one, other := t.styles()
	text := t.text(one)
	at := m.places(text, one)
	if len(at) < 2 {
		return nil, 0
	}
	t.rng.Shuffle(len(at), func(i, j int) { at[i], at[j] = at[j], at[i] })
	out := slices.Clone(text)
	for _, k := range at[:count(len(at))] {
		out[k] = drawn(t.rng, m.words[other])
	}
	return out, m.Class()
}

// negated exchanges a style word for a negated one of another style.
func (m *Mixer) negated(t *drawnTexts) ([]int64, int) {
	one, other := t.styles()
	text := t.text(one)
	at := m.places(text, one)
	if len(at) == 0 || len(m.negations) == 0 {
		return nil, 0
	}
	k := at[t.rng.IntN(len(at))]
	with := []int64{drawn(t.rng, m.negations), drawn(t.rng, m.words[other])}
	return slices.Concat(text[:k], with, text[k+1:]), one
}
