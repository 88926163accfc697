package guided

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// filling is a draft whose masks are being filled.
type filling struct {
	*draft
	open  []bool // masks without a word
	draws *draws // of a candidate that is drawn; nil takes the best
}

// fill writes a word at every mask: all of them in one pass or, in the order recipe.Confident, one
// a pass and the surest first.
func (r *Refiller) fill(ctx context.Context, all []filling) error {
	for {
		var d corpus.Encoded
		var open []filling
		for _, f := range all {
			if slices.Contains(f.open, true) {
				open = append(open, f)
				ids, masks := f.withMasks(f.open, r.slotsAsked(), r.Slots)
				f.addTo(&d, ids, masks)
			}
		}
		if len(open) == 0 {
			return nil
		}
		fills, err := r.Filler.Fills(ctx, d, r.How.Gamma > 0)
		if err != nil {
			return err
		}
		machine.Parallel(len(open), func(i int) { r.chooseFills(open[i], fills[i]) })
	}
}

// chooseFills chooses among the words that may stand at the open masks.
func (r *Refiller) chooseFills(f filling, fills [][]Fill) {
	var chosen [][]Fill
	var places []int
	var asked []float64
	slots := r.slotsAsked()
	for k, on := range f.open {
		if !on {
			continue
		}
		words := r.chooseAll(f, k, fills[:slots])
		fills = fills[slots:]
		if r.How.Order != recipe.Confident {
			f.write(k, words...)
			f.open[k] = false
			continue
		}
		sum := 0.0
		for _, w := range words {
			sum += w.Asked
		}
		chosen, places, asked = append(chosen, words), append(places, k), append(asked, sum)
	}
	if len(chosen) > 0 {
		at := top(asked)
		f.write(places[at], chosen[at]...)
		f.open[places[at]] = false
	}
}

// chooseAll chooses how many words stand in place k, and which; fills are those of its slots.
func (r *Refiller) chooseAll(f filling, k int, fills [][]Fill) (chosen []Fill) {
	return r.chooseWords(f, k, r.length(f, k, fills), fills)
}

// chooseWords chooses n words for place k, from the left.
func (r *Refiller) chooseWords(f filling, k, n int, fills [][]Fill) (chosen []Fill) {
	at := r.place(f, k, n)
	for _, slot := range fills[:n] {
		w := r.choose(at, ofWords(slot))
		chosen = append(chosen, w)
		at.ids[at.k] = w.ID
		at.k++
		at.slot += len(f.words)
	}
	for _, slot := range fills[n:] {
		chosen = append(chosen, slot[len(slot)-1])
	}
	return chosen
}

// place is a mask for which a word is wanted.
type place struct {
	ids   []int64 // the sentence, with masks where no word is chosen yet
	k     int     // of ids
	slot  int     // its number, by which draws are made
	asked int     // the style asked for
	draws *draws  // nil takes the best
}

// place returns place k with n masks in it, the first of which is to be filled. Words left of it
// that are chosen in the same pass are known.
func (r *Refiller) place(f filling, k, n int) place {
	p := place{ids: make([]int64, 0, len(f.words)+n), slot: k, asked: f.asked, draws: f.draws}
	for i, c := range f.words {
		switch {
		case i == k:
			p.k = len(p.ids)
			for range n {
				p.ids = append(p.ids, corpus.MaskID)
			}
		case f.open[i]:
			p.ids = append(p.ids, corpus.MaskID)
		default:
			for _, w := range c[:c.count()] {
				p.ids = append(p.ids, w.ID)
			}
		}
	}
	return p
}

// beside tells whether a word stands next to the place.
func (p *place) beside(id int64) bool {
	return p.k > 0 && p.ids[p.k-1] == id || p.k+1 < len(p.ids) && p.ids[p.k+1] == id
}

// choose returns the plausible word of the highest score, of equals the one of the smallest id;
// with at.draws it draws one.
func (r *Refiller) choose(at place, fills []Fill) Fill {
	fills = r.plausible(&at, fills)
	scores := make([]float64, len(fills))
	for i, f := range fills {
		scores[i] = r.score(&at, f)
		if at.draws != nil { // the largest of scores with Gumbel noise is a draw from their softmax
			scores[i] -= math.Log(at.draws.exponential(at.slot, f.ID))
		}
	}
	return fills[top(scores)]
}

// plausible returns the words that may be chosen at a place, by their ids: those that are likely
// enough beside the likeliest. With the setting no_repeats words that stand next to the place are
// passed over; where that leaves none that is likely enough, the likeliest of all others may be
// chosen. With no_punctuation there are no punctuation marks, unless there is nothing else.
func (r *Refiller) plausible(at *place, fills []Fill) (out []Fill) {
	if words := r.words(fills); len(words) > 0 {
		fills = words
	}
	least := fills[0].Asked + math.Log(r.How.Plausible)
	for _, f := range fills {
		if r.How.NoRepeats && at.beside(f.ID) {
			continue
		}
		if len(out) == 0 {
			least = min(least, f.Asked)
		}
		if f.Asked >= least-rounding {
			out = append(out, f)
		}
	}
	if len(out) == 0 {
		return fills[:1] // there is no other word
	}
	slices.SortFunc(out, func(a, b Fill) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// words returns the fills that the setting no_punctuation allows.
func (r *Refiller) words(fills []Fill) []Fill {
	if !r.How.NoPunctuation {
		return fills
	}
	return lists.Where(fills, func(f Fill) bool { return !r.Punctuation[f.ID] })
}

// score returns the score of a word w at a place, with the weights of recipe.Guided:
//
//	log q(w|s') + gamma (log q(w|s') - log q(w|s)) - price log p(w) + fluency log p(words around)
func (r *Refiller) score(at *place, f Fill) float64 {
	score := f.Asked
	if r.How.Gamma > 0 {
		score += r.How.Gamma * (f.Asked - f.Own)
	}
	if r.How.Price > 0 {
		score -= r.How.Price * r.LogShare[at.asked][f.ID]
	}
	if r.How.Fluency > 0 {
		at.ids[at.k] = f.ID
		score += r.How.Fluency * r.Fluency.Window(at.ids, at.k)
	}
	return score
}

// LogShares returns log p(w) of training sentences by style, of so many, and by word id, below
// vocab. p(w) is the share of w among the masked words of the style; a word that never was masked
// counts as half a time.
func LogShares(d corpus.Encoded, styles, vocab int) [][]float64 {
	logs, total := make([][]float64, styles), make([]float64, styles)
	for style := range logs {
		logs[style] = make([]float64, vocab)
	}
	for i, masks := range d.Masks {
		style := d.Styles[i]
		for k, on := range masks {
			if on {
				logs[style][d.IDs[i][k]]++
				total[style]++
			}
		}
	}
	for style, words := range logs {
		for w, n := range words {
			words[w] = math.Log(max(n, .5) / max(total[style], 1))
		}
	}
	return logs
}
