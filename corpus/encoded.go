package corpus

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
)

// Encoded holds sentences as models read them. Every field has one item per sentence.
type Encoded struct {
	IDs     [][]int64 // word ids, without special tokens around them
	Styles  []int     // the style of the sentence
	Targets []int     // the target style, or NoTarget; nil if nothing is rewritten
	Masks   [][]bool  // marks the masked words; nil if there are no masks
	// Scores says how strongly each word carries the style. Training needs the scores if it draws
	// masks by score; otherwise they may be nil.
	Scores [][]float32
	Kept   [][]bool // marks the words that are never masked, as NeverMasked returns them
}

// Keeps reports whether word k of sentence i is never masked.
func (e Encoded) Keeps(i, k int) bool { return e.Kept != nil && e.Kept[i] != nil && e.Kept[i][k] }

// Encode returns a split's sentences: all of style 0 in the order of the file, then all of style 1,
// and so on.
func (d *Dataset) Encode(s Split, v *Vocab) (e Encoded) {
	for style, sentences := range d.Text[s] {
		e.IDs = append(e.IDs, v.EncodeAll(sentences)...)
		e.Styles = append(e.Styles, slices.Repeat([]int{style}, len(sentences))...)
	}
	e.Kept = NeverMasked(slices.Concat(d.Text[s]...))
	return e
}

// NoTarget in Targets marks a sentence that is not rewritten.
const NoTarget = -1

// ToRewriteAndRest returns the result of ToRewrite, followed by the sentences that no direction
// rewrites. The target of these sentences is NoTarget.
func (e Encoded) ToRewriteAndRest(directions []Direction) Encoded {
	order, targets := e.orderOf(directions)
	for i, style := range e.Styles {
		if !slices.ContainsFunc(directions, func(d Direction) bool { return d.From == style }) {
			order, targets = append(order, i), append(targets, NoTarget)
		}
	}
	out := e.Pick(order)
	out.Targets = targets
	return out
}

// ToRewrite returns the sentences to rewrite: for each direction in order, the sentences of its
// source style, with its target style in Targets. With two styles and both directions, the result
// has the same sentences in the same order as the result of Encode.
func (e Encoded) ToRewrite(directions []Direction) Encoded {
	order, targets := e.orderOf(directions)
	out := e.Pick(order)
	out.Targets = targets
	return out
}

// orderOf returns the indices and the target styles of the sentences that ToRewrite returns.
func (e Encoded) orderOf(directions []Direction) (order, targets []int) {
	for _, d := range directions {
		for i, style := range e.Styles {
			if style == d.From {
				order, targets = append(order, i), append(targets, d.To)
			}
		}
	}
	return order, targets
}

// Pick returns the sentences with these indices, in this order.
func (e Encoded) Pick(order []int) (out Encoded) {
	for _, i := range order {
		out.IDs, out.Styles = append(out.IDs, e.IDs[i]), append(out.Styles, e.Styles[i])
		if e.Masks != nil {
			out.Masks = append(out.Masks, e.Masks[i])
		}
		if e.Targets != nil {
			out.Targets = append(out.Targets, e.Targets[i])
		}
		if e.Scores != nil {
			out.Scores = append(out.Scores, e.Scores[i])
		}
		if e.Kept != nil {
			out.Kept = append(out.Kept, e.Kept[i])
		}
	}
	return out
}

// Batch is a set of sentences of equal length, so that nothing has to be padded.
type Batch struct {
	Items []int // indices of sentences; never empty
	Len   int   // words per sentence
}

// Batches divides sentences, given by their lengths in words, into batches of equally long
// sentences. A batch holds at most tokenBudget words, but at least one sentence. With epoch >= 0,
// seed and epoch determine which sentences share a batch and the order of the batches, in the same
// way on every machine. With epoch < 0, for evaluation, nothing is random: batches are sorted by
// length, and sentences keep their order.
func Batches(lengths []int, tokenBudget int, seed uint64, epoch int) []Batch {
	byLength := make(map[int][]int)
	for i, n := range lengths {
		byLength[n] = append(byLength[n], i)
	}
	var rng *rand.Rand
	if epoch >= 0 {
		rng = rand.New(rand.NewPCG(seed, uint64(epoch)))
	}
	var batches []Batch
	for _, n := range slices.SortedFunc(maps.Keys(byLength), cmp.Compare[int]) {
		items := byLength[n]
		if rng != nil {
			rng.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		}
		for part := range slices.Chunk(items, max(1, tokenBudget/max(1, n))) {
			batches = append(batches, Batch{Items: part, Len: n})
		}
	}
	if rng != nil {
		rng.Shuffle(len(batches), func(i, j int) { batches[i], batches[j] = batches[j], batches[i] })
	}
	return batches
}

// Fitting returns how many of the first rows fit into a budget of tokens together. It returns at
// least 1.
func Fitting(rows [][]int64, tokens int) int {
	n := 1
	for sum := len(rows[0]); n < len(rows) && sum+len(rows[n]) <= tokens; n++ {
		sum += len(rows[n])
	}
	return n
}
