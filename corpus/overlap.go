package corpus

import (
	"hash/maphash"
	"slices"
	"strings"
	"unicode"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// Overlap says how many sentences of one split stand in another one too, all styles together. What
// is learnt or chosen on such a sentence is measured on it again.
type Overlap struct {
	Split     string `json:"split"`
	In        string `json:"in"`
	Sentences int    `json:"sentences"` // of the split
	Equal     int    `json:"equal"`     // word by word
	// Folded are equal where case, punctuation and other signs are left out; those of Equal are
	// among them.
	Folded int `json:"folded"`
	// Near are equal or, folded, one word apart: one is another, missing or added. Sentences of
	// nearWords words and more are compared so; those of Folded are among them.
	Near int `json:"near"`
}

// nearWords is how many words a sentence has at least whose neighbours one word apart count: of
// shorter ones many differ in one word without being each other's copy.
const nearWords = 8

// Suspect tells whether the overlap is more than the few sentences that every corpus has: one in a
// hundred, and two at least.
func (o *Overlap) Suspect() bool { return o.Folded >= 2 && 100*o.Folded >= o.Sentences }

// splitPairs are the pairs of splits; the first of each is what must not be in the second.
var splitPairs = [][2]Split{{Dev, Train}, {Test, Train}, {Test, Dev}}

// Overlaps compares every pair of splits.
func (d *Dataset) Overlaps() []Overlap {
	var all, folded [3][]Sentence
	for _, s := range Splits {
		all[s] = slices.Concat(d.Text[s]...)
		folded[s] = lists.Map(all[s], fold)
	}
	var out []Overlap
	for _, p := range splitPairs {
		of, in := p[0], p[1]
		o := Overlap{Split: of.String(), In: in.String(), Sentences: len(all[of])}
		equal := map[string]bool{}
		for _, words := range all[in] {
			equal[strings.Join(words, " ")] = true
		}
		same := among(folded[of], folded[in])
		near := newNeighbours(folded[of])
		for _, words := range folded[in] {
			near.meet(words)
		}
		for i, words := range all[of] {
			switch {
			case equal[strings.Join(words, " ")]:
				o.Equal++
				o.Folded++
				o.Near++
			case same[i]:
				o.Folded++
				o.Near++
			case near.met[i]:
				o.Near++
			}
		}
		out = append(out, o)
	}
	return out
}

// among tells which of some folded sentences are among others. Sentences that had nothing but signs
// are among none.
func among(sentences, others []Sentence) []bool {
	known := make(map[string]bool, len(others))
	for _, words := range others {
		known[strings.Join(words, " ")] = true
	}
	out := make([]bool, len(sentences))
	for i, words := range sentences {
		out[i] = len(words) > 0 && known[strings.Join(words, " ")]
	}
	return out
}

// fold returns the words in lower case, without the signs that are no letters, digits or marks upon
// them, and without the words that are nothing else.
func fold(words Sentence) Sentence {
	out := make(Sentence, 0, len(words))
	for _, w := range words {
		w = strings.Map(func(r rune) rune {
			if !unicode.In(r, unicode.L, unicode.N, unicode.M) {
				return -1
			}
			return unicode.ToLower(r)
		}, w)
		if w != "" {
			out = append(out, w)
		}
	}
	return out
}

// neighbours finds which sentences are at most one word apart from one of others. Two such have a
// text in common that is either of them, or one without one of its words.
type neighbours struct {
	sentences []Sentence
	met       []bool
	by        map[uint64][]int32 // texts in common to the sentences that have them
	seed      maphash.Seed
}

func newNeighbours(sentences []Sentence) *neighbours {
	n := &neighbours{
		sentences: sentences, met: make([]bool, len(sentences)), by: map[uint64][]int32{}, seed: maphash.MakeSeed(),
	}
	for i, words := range sentences {
		if len(words) < nearWords {
			continue
		}
		for key := range n.keys(words) {
			if at := n.by[key]; len(at) == 0 || at[len(at)-1] != int32(i) {
				n.by[key] = append(at, int32(i))
			}
		}
	}
	return n
}

// meet marks the sentences that are at most one word apart from words.
func (n *neighbours) meet(words Sentence) {
	if len(words) < nearWords {
		return
	}
	for key := range n.keys(words) {
		for _, i := range n.by[key] {
			if !n.met[i] && oneApart(n.sentences[i], words) {
				n.met[i] = true
			}
		}
	}
}

// keys yields the sums of the whole sentence and of it without each of its words.
func (n *neighbours) keys(words Sentence) func(yield func(uint64) bool) {
	return func(yield func(uint64) bool) {
		var h maphash.Hash
		h.SetSeed(n.seed)
		for without := -1; without < len(words); without++ {
			h.Reset()
			for i, w := range words {
				if i != without {
					h.WriteString(w)
					h.WriteByte(' ')
				}
			}
			if !yield(h.Sum64()) {
				return
			}
		}
	}
}

// oneApart tells whether a becomes b by at most one word that is changed, left out or added.
func oneApart(a, b Sentence) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) == len(b) {
		return i == len(a) || slices.Equal(a[i+1:], b[i+1:])
	}
	return slices.Equal(a[i:], b[i+1:])
}
