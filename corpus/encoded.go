package corpus

import "slices"

// Encoded is sentences as models read them. All fields have an item a sentence.
type Encoded struct {
	IDs    [][]int64 // the ids of the words, without special tokens around them
	Styles []int     // the sentence's own style, 0 or 1
	Masks  [][]bool  // which of the words are masked; nil where nothing is said of masks
}

// Encode returns a split's sentences: all of style 0 in the order of the file, then all of style 1.
func (d *Dataset) Encode(s Split, v *Vocab) (e Encoded) {
	for style, sentences := range d.Text[s] {
		e.IDs = append(e.IDs, v.EncodeAll(sentences)...)
		e.Styles = append(e.Styles, slices.Repeat([]int{style}, len(sentences))...)
	}
	return e
}

// Slice returns the sentences from one on, up to another.
func (e Encoded) Slice(from, to int) Encoded {
	part := Encoded{IDs: e.IDs[from:to], Styles: e.Styles[from:to]}
	if e.Masks != nil {
		part.Masks = e.Masks[from:to]
	}
	return part
}

// WithMask returns the sentences that have at least one masked word.
func (e Encoded) WithMask() Encoded {
	var some []int
	for i, m := range e.Masks {
		if slices.Contains(m, true) {
			some = append(some, i)
		}
	}
	return e.Pick(some)
}

// Pick returns the sentences of these numbers, in this order. They must have masks.
func (e Encoded) Pick(order []int) (out Encoded) {
	for _, i := range order {
		out.IDs, out.Styles = append(out.IDs, e.IDs[i]), append(out.Styles, e.Styles[i])
		out.Masks = append(out.Masks, e.Masks[i])
	}
	return out
}
