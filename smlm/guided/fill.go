package guided

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// filling is a draft whose masks are being filled.
type filling struct {
	*draft
	open []bool     // masks without a word
	rng  *rand.Rand // of a candidate that is drawn; nil takes the best
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
				f.addTo(&d, f.ids(-1, 0), f.open)
			}
		}
		if len(open) == 0 {
			return nil
		}
		fills, err := r.Filler.Fills(ctx, d, r.How.Gamma > 0)
		if err != nil {
			return err
		}
		for i, f := range open {
			r.chooseFills(f, fills[i])
		}
	}
}

// chooseFills chooses among the words that may stand at the open masks.
func (r *Refiller) chooseFills(f filling, fills [][]Fill) {
	best, at := Fill{Asked: math.Inf(-1)}, -1
	for k, on := range f.open {
		if !on {
			continue
		}
		chosen := r.choose(r.place(f, k), fills[0])
		fills = fills[1:]
		if r.How.Order != recipe.Confident {
			f.write(k, chosen)
		} else if chosen.Asked > best.Asked {
			best, at = chosen, k
		}
	}
	if at >= 0 {
		f.write(at, best)
		f.open[at] = false
		return
	}
	clear(f.open)
}

// place is a mask for which a word is wanted.
type place struct {
	ids   []int64 // the sentence, with masks where no word is chosen yet
	k     int
	asked int        // the style asked for
	rng   *rand.Rand // nil takes the best
}

// place returns the place of word k. Words left of it that are chosen in the same pass are known.
func (r *Refiller) place(f filling, k int) place {
	p := place{ids: f.ids(-1, 0), k: k, asked: f.asked, rng: f.rng}
	for i, on := range f.open {
		if on && (i >= k || r.How.Order == recipe.Confident) {
			p.ids[i] = corpus.MaskID
		}
	}
	return p
}

// beside tells whether a word stands next to the place.
func (p *place) beside(id int64) bool {
	return p.k > 0 && p.ids[p.k-1] == id || p.k+1 < len(p.ids) && p.ids[p.k+1] == id
}

// choose returns the plausible word of the highest score, the likelier one of equals; with at.rng
// it draws one.
func (r *Refiller) choose(at place, fills []Fill) Fill {
	least := fills[0].Asked + math.Log(r.How.Plausible)
	plausible := slices.IndexFunc(fills, func(f Fill) bool { return f.Asked < least })
	if plausible >= 0 {
		fills = fills[:plausible]
	}
	best, top := 0, math.Inf(-1)
	for i, f := range fills {
		draw := 0.0
		if at.rng != nil { // one a word, of those that are passed over too
			draw = at.rng.ExpFloat64()
		}
		if r.How.NoRepeats && at.beside(f.ID) {
			continue // the likeliest all the same where nothing else is plausible
		}
		score := r.score(&at, f)
		if at.rng != nil { // the largest of scores with Gumbel noise is a draw from their softmax
			score = score/r.How.Temperature - math.Log(draw)
		}
		if score > top {
			best, top = i, score
		}
	}
	return fills[best]
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
