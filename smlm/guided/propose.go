package guided

import (
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// fillsPerMask is the number of SMLM's proposals that are tried at a mask.
const fillsPerMask = 3

// triedPerRound is how many edits of a draft the guide judges in a round.
const triedPerRound = 12

// fills asks SMLM for words at the open places of drafts (see isOpen). All open places of a draft
// are masked at once. The result is indexed by draft, then by mask.
func (w *Writer) fills(ctx context.Context, all []*draft) ([][][]Fill, error) {
	var d corpus.Encoded
	for _, s := range all {
		ids, masks := w.masked(s)
		d.IDs, d.Masks = append(d.IDs, ids), append(d.Masks, masks)
		d.Styles, d.Targets = append(d.Styles, s.sourceStyle), append(d.Targets, s.targetStyle)
	}
	return w.Filler.Fills(ctx, d)
}

// The method masked returns the ids of a draft with <mask> in each open place, and marks which of
// these ids are <mask>.
func (w *Writer) masked(s *draft) (ids []int64, masks []bool) {
	for k, words := range s.words {
		if w.isOpen(s, k) {
			ids, masks = append(ids, corpus.MaskID), append(masks, true)
			continue
		}
		for _, word := range words {
			if word.Origin != Deleted {
				ids, masks = append(ids, word.ID), append(masks, false)
			}
		}
	}
	return ids, masks
}

// isOpen tells whether SMLM may replace the word in place k. The word must be one that an edit may
// change (see mayChange). Also, it must be masked, or be at least e (2.7) times as frequent in the
// source style as in the target style.
func (w *Writer) isOpen(s *draft, k int) bool {
	return (s.masks[k] || w.Phrases.odds(s.source[k], s.direction()) <= -1) && w.mayChange(s, k)
}

// trial is a draft with one more edit.
type trial struct {
	*draft
	estimate float64 // estimated worth, before the guide judges the draft
}

// trials returns the most promising drafts that differ from s by one edit.
func (w *Writer) trials(s *draft, fills [][]Fill) []*draft {
	var found []trial
	direction := s.direction()
	add := func(d *draft, gain float64) {
		w.weigh(d)
		found = append(found, trial{d, w.worth(d, s.odds()+gain)})
	}
	for k := range s.words {
		w.rephrase(s, k, w.Phrases.Counterparts[direction], add)
		if !w.isOpen(s, k) {
			continue
		}
		for _, fill := range likeliestFills(fills[0]) {
			if fill.ID != s.source[k] {
				word := Word{ID: fill.ID, Place: k, Origin: Filled, LogQ: fill.LogQ}
				gain := w.Phrases.odds(fill.ID, direction) - w.Phrases.odds(s.source[k], direction)
				add(s.edited(k, []Word{word}), gain)
			}
		}
		fills = fills[1:]
		if len(s.ids) > 1 {
			add(s.edited(k, deleted(k)), -w.Phrases.odds(s.source[k], direction))
		}
	}
	return mostPromising(found)
}

// rephrase makes drafts in which a phrase that begins at place k is replaced by one of its
// counterparts. It calls the function add with each draft.
func (w *Writer) rephrase(s *draft, k int, counterparts map[Phrase][]Counterpart, add func(d *draft, gain float64)) {
	for n := 1; n <= LongestPhrase && k+n <= len(s.words) && w.mayChange(s, k+n-1); n++ {
		phrase := s.source[k : k+n]
		for _, c := range counterparts[PhraseOf(phrase)] {
			add(s.edited(k, replaced(k, phrase, c.IDs)...), c.Gain)
		}
	}
}

// The function replaced returns the words in each place of a phrase after the phrase has been
// replaced. The phrase begins at place k of the source. Words that the phrase and the replacement
// share stay Kept.
func replaced(k int, phrase, replacement []int64) [][]Word {
	words := make([][]Word, len(phrase))
	for i, ids := range align(phrase, replacement) {
		kept := slices.Index(ids, phrase[i])
		for n, id := range ids {
			origin := Rephrased
			if n == kept {
				origin = Kept
			}
			words[i] = append(words[i], Word{ID: id, Place: k + i, Origin: origin})
		}
		if len(ids) == 0 {
			words[i] = deleted(k + i)
		}
	}
	return words
}

// The function deleted returns the content of a place whose source word is deleted.
func deleted(place int) []Word { return []Word{{ID: corpus.EosID, Place: place, Origin: Deleted}} }

// likeliestFills returns at most fillsPerMask fills, likeliest first. Of equally likely fills, the
// one with the smaller id comes first.
func likeliestFills(fills []Fill) (best []Fill) {
	fills = slices.Clone(fills)
	slices.SortFunc(fills, func(a, b Fill) int { return int(a.ID - b.ID) })
	for k := range descending(lists.Map(fills, func(f Fill) float64 { return f.LogQ })) {
		if best = append(best, fills[k]); len(best) == fillsPerMask {
			break
		}
	}
	return best
}

// mostPromising returns the trials with the highest estimates, without duplicate outputs.
func mostPromising(found []trial) (best []*draft) {
	for k := range descending(lists.Map(found, func(t trial) float64 { return t.estimate })) {
		if t := found[k]; !t.isAmong(best) {
			best = append(best, t.draft)
		}
		if len(best) == triedPerRound {
			break
		}
	}
	return best
}
