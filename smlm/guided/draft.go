package guided

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// draft is an output under construction.
type draft struct {
	source      []int64
	sourceStyle int
	targetStyle int
	known       map[trigram]bool // trigrams of the source
	fixed       []bool           // marks words that never change; nil if there are none
	masks       []bool           // marks words that SMLM may replace
	words       [][]Word
	// Set by Writer.weigh:
	ids  []int64 // ids of the words, without deleted ones
	odd  int     // number of odd trigrams (see Writer.Odd)
	cost float64
	// Set by Writer.judge:
	style []float64 // log p(style | words) by the guide, one number per style
	worth float64
}

// newDraft returns sentence i of d as an unchanged draft.
func newDraft(d corpus.Encoded, i int) *draft {
	s := &draft{source: d.IDs[i], sourceStyle: d.Styles[i], targetStyle: d.Targets[i], masks: slices.Clone(d.Masks[i])}
	s.known = trigramSet(s.source)
	if d.Kept != nil {
		s.fixed = d.Kept[i]
	}
	for k, id := range s.source {
		s.words = append(s.words, []Word{{ID: id, Place: k, Origin: Kept}})
	}
	return s
}

// direction returns the direction in which the sentence is rewritten.
func (s *draft) direction() corpus.Direction {
	return corpus.Direction{From: s.sourceStyle, To: s.targetStyle}
}

// The method edited returns a copy of the draft with the given words in place k, place k+1 and so
// on.
func (s *draft) edited(k int, words ...[]Word) *draft {
	c := *s
	c.words = slices.Clone(s.words)
	copy(c.words[k:], words)
	return &c
}

// undeleted returns the ids of the words without deleted ones.
func (s *draft) undeleted() []int64 {
	ids := make([]int64, 0, len(s.words)+1)
	for _, words := range s.words {
		for _, w := range words {
			if w.Origin != Deleted {
				ids = append(ids, w.ID)
			}
		}
	}
	return ids
}

// isAmong tells whether one of the given drafts has the same words as s.
func (s *draft) isAmong(all []*draft) bool {
	return slices.ContainsFunc(all, func(d *draft) bool { return slices.Equal(d.ids, s.ids) })
}

// isKept tells whether place k still has only the source's word.
func (s *draft) isKept(k int) bool { return len(s.words[k]) == 1 && s.words[k][0].Origin == Kept }

// mayChange tells whether an edit may change the word in place k, which must still be the source's
// word.
func (w *Writer) mayChange(s *draft, k int) bool {
	return s.isKept(k) && (s.fixed == nil || !s.fixed[k]) && (!w.KeepUnknown || s.source[k] != corpus.UnkID)
}

// odds returns the guide's log-odds of the target style against the source style.
func (s *draft) odds() float64 { return s.style[s.targetStyle] - s.style[s.sourceStyle] }
