package smlm

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// Transfer returns every sentence written in the style d.Asked, with all positions chosen at once.
// An output has as many words as its source. With slots it has as many as there are slots where a
// word is masked, guided.Empty among them.
func (m *Model) Transfer(ctx context.Context, d corpus.Encoded, dec Decoding) ([][]int64, error) {
	d = withOpenSlots(d, m.Config.Slots)
	out := make([][]int64, len(d.IDs))
	err := torch.NoGrad(func() error {
		r := &refiller{Model: m, dec: dec, words: torch.Pack(m.out.W, m.out.B, dec.packing(len(d.IDs)))}
		return nn.ForEach(ctx, d.IDs, func(batch []int) error {
			r.transfer(d, batch, out)
			return nil
		})
	})
	return out, err
}

// refiller is a Model whose vocabulary layer is laid out for one transfer.
type refiller struct {
	*Model
	dec   Decoding
	words *torch.Packed
}

// transfer writes the outputs of a batch.
func (r *refiller) transfer(d corpus.Encoded, batch []int, out [][]int64) {
	if r.dec.copies() {
		r.refill(d, batch, out)
		return
	}
	ids, empty := r.likeliest(d, batch, Objective{})
	n := len(d.IDs[batch[0]])
	for k, i := range batch {
		out[i] = ids[k*n : (k+1)*n : (k+1)*n]
		if empty != nil {
			writeEmpty(out[i], d.Masks[i], empty[k*n:(k+1)*n])
		}
	}
}

// writeEmpty writes guided.Empty at the slots where it is likeliest, but for the first where that
// would leave no word.
func writeEmpty(out []int64, slots, empty []bool) {
	first, words := out[0], len(out)
	for k := range out {
		if slots[k] && empty[k] {
			out[k] = guided.Empty
			words--
		}
	}
	if words == 0 {
		out[0] = first
	}
}

// likeliest returns, for each position that o counts, the likeliest word when the style d.Asked is
// asked for. With slots it also tells where guided.Empty is likelier than that.
func (r *refiller) likeliest(d corpus.Encoded, batch []int, o Objective) (ids []int64, empty []bool) {
	f := r.Config.codes()
	rows := f.targets(d, batch, o).rows
	if len(rows) == 0 {
		return nil, nil
	}
	var states *torch.Tensor
	torch.Autocast(r.dec.BF16, func() { states = r.enc.rows(f.inputs(d, batch, d.Asked), rows, false) })
	ids = make([]int64, len(rows))
	wanted := slices.Repeat([]int64{emptyID}, len(rows))
	for i, row := range r.words.Likeliest(states, wanted, int64(len(rows)), r.Config.firstWord(), 1, false) {
		ids[i] = int64(row[1])
		if r.Config.Slots > 0 {
			empty = append(empty, row[2] > row[0])
		}
	}
	return ids, empty
}

// refill chooses words where masks are and keeps the others.
func (r *refiller) refill(d corpus.Encoded, batch []int, out [][]int64) {
	ids, empty := r.likeliest(d, batch, Objective{Loss: recipe.Masked})
	for _, i := range batch {
		out[i] = slices.Clone(d.IDs[i])
		empties := make([]bool, len(out[i]))
		for k, on := range d.Masks[i] {
			if !on {
				continue
			}
			out[i][k], ids = ids[0], ids[1:]
			if empty != nil {
				empties[k], empty = empty[0], empty[1:]
			}
		}
		writeEmpty(out[i], d.Masks[i], empties)
	}
}

// Alike returns the cosine of the vectors that two words have in the vocabulary layer.
func (f *Filler) Alike(a, b int64) float64 {
	if f.vectors == nil {
		f.vectors = f.out.W.Floats()
	}
	d := len(f.vectors) / f.Config.Vocab
	of := func(id int64) []float32 { return f.vectors[int(id)*d : (int(id)+1)*d] }
	dot := func(x, y []float32) (sum float64) {
		for i := range x {
			sum += float64(x[i]) * float64(y[i])
		}
		return sum
	}
	return dot(of(a), of(b)) / math.Sqrt(max(dot(of(a), of(a))*dot(of(b), of(b)), 1e-30))
}

// maxFills bounds the words that are proposed for a mask.
const maxFills = 32

// A Filler proposes words for masks.
type Filler struct {
	*Model
	words  *torch.Packed
	layers *nn.SpanEncoder
	bf16   bool
	states maskStates
	// vectors [V, d] are those of words in the vocabulary layer; nil: nobody asked for them.
	vectors []float32
}

// WithFiller calls fn with a Filler of the model, laid out for about so many masks at a time.
func (m *Model) WithFiller(bf16 bool, masks int, fn func(*Filler) error) error {
	return torch.NoGrad(func() error {
		how := Decoding{BF16: bf16}.packing(masks)
		return fn(&Filler{
			Model: m, words: torch.Pack(m.out.W, m.out.B, how), bf16: bf16,
			layers: nn.NewSpanEncoder(m.enc.layers, how),
		})
	})
}

// Fills returns, for every mask of every sentence in order, the words that may stand there, at most
// maxFills of them. The likeliest in the style d.Asked comes first. With own, what the model thinks
// of each word when the sentence's own style is asked for is there too. With slots a place has so
// many, masked or, from some on, with guided.Empty in them; that is the last word of each mask too.
func (f *Filler) Fills(ctx context.Context, d corpus.Encoded, own bool) ([][][]guided.Fill, error) {
	asked, err := f.statesOf(ctx, d, d.Asked)
	if err != nil {
		return nil, err
	}
	var inOwn [][]float32
	if own {
		if inOwn, err = f.statesOf(ctx, d, d.Styles); err != nil {
			return nil, err
		}
	}
	var news [][]float32 // states of which the likeliest words are not known yet
	for _, state := range asked {
		if _, known := f.states.words[&state[0]]; !known {
			f.states.words[&state[0]] = nil
			news = append(news, state)
		}
	}
	if err := f.forStates(ctx, news, func(from, n int, h *torch.Tensor) error {
		for i, words := range f.likeliest(h, n) {
			f.states.words[&news[from+i][0]] = words
		}
		return nil
	}); err != nil {
		f.states.of = nil // some words are missing
		return nil, err
	}
	fills := make([][]guided.Fill, len(asked))
	for i, state := range asked {
		fills[i] = slices.Clone(f.states.words[&state[0]])
	}
	if own {
		err = f.contrast(ctx, fills, inOwn, f.Config.Slots > 0 && allSlots(d))
	}
	return dealt(fills, d), err
}

// contrast writes what the model thinks of fills when the own style is asked for, given the states
// there. It is log q up to a constant of the place, unless it is to be normalised.
func (f *Filler) contrast(ctx context.Context, fills [][]guided.Fill, states [][]float32, normalised bool) error {
	var logs []float64
	if err := f.forStates(ctx, states, func(from, n int, h *torch.Tensor) error {
		some, err := f.logs(fills[from:from+n], h, normalised)
		logs = append(logs, some...)
		return err
	}); err != nil {
		return err
	}
	at := 0
	for _, some := range fills {
		for i := range some {
			some[i].Own = logs[at]
			at++
		}
	}
	return nil
}

// dealt deals what was found of all masks out to the sentences.
func dealt[T any](all []T, d corpus.Encoded) [][]T {
	out := make([][]T, len(d.IDs))
	for i, masks := range d.Masks {
		n := 0
		for _, on := range masks {
			if on {
				n++
			}
		}
		if n > 0 && n <= len(all) {
			out[i], all = all[:n:n], all[n:]
		}
	}
	return out
}

// likeliest returns the words that may stand at the first n states.
func (f *Filler) likeliest(h *torch.Tensor, n int) [][]guided.Fill {
	k := min(maxFills, f.Config.Vocab-int(f.Config.firstWord()))
	rows := h.Size(0)
	wanted := slices.Repeat([]int64{emptyID}, int(rows))
	fills := make([][]guided.Fill, n)
	for i, row := range f.words.Likeliest(h, wanted, rows, f.Config.firstWord(), int64(k), true)[:n] {
		fills[i] = make([]guided.Fill, 0, k+1)
		for j := range k {
			fills[i] = append(fills[i], guided.Fill{ID: int64(row[k+j]), Asked: float64(row[j])})
		}
		if f.Config.Slots > 0 {
			fills[i] = append(fills[i], guided.Fill{ID: guided.Empty, Asked: float64(row[2*k])})
		}
	}
	return fills
}

// logs returns log q of fills, one after the other, given the states where they stand: up to a
// constant of the place, unless they are to be normalised.
func (f *Filler) logs(fills [][]guided.Fill, h *torch.Tensor, normalised bool) ([]float64, error) {
	var ids []int64
	for _, some := range fills {
		for _, fill := range some {
			ids = append(ids, fill.ID)
		}
	}
	each := len(fills[0])
	logits, err := f.logits(h.Narrow(0, 0, int64(len(fills))), ids, int64(each))
	if err != nil {
		return nil, err
	}
	logs := lists.Map(logits, func(logit float32) float64 { return float64(logit) })
	if !normalised {
		return logs, nil
	}
	last := roundedUp(lists.Map(fills, func(some []guided.Fill) int64 { return some[each-1].ID }))
	for i, row := range f.words.Likeliest(h, last, 0, f.Config.firstWord(), 1, true)[:len(fills)] {
		of := logs[i*each : (i+1)*each]
		off := of[each-1] - float64(row[2])
		for k := range of {
			of[k] -= off
		}
	}
	return logs, nil
}

// LogQ returns, for every mask of every sentence in order, log q of the word of d.IDs there when
// the style d.Asked is asked for.
func (f *Filler) LogQ(ctx context.Context, d corpus.Encoded) ([][]float64, error) {
	states, err := f.statesOf(ctx, d, d.Asked)
	if err != nil {
		return nil, err
	}
	asked := make([]wordAt, 0, len(states))
	for i, masks := range d.Masks {
		for k, on := range masks {
			if on {
				asked = append(asked, wordAt{&states[len(asked)][0], d.IDs[i][k]})
			}
		}
	}
	var newStates [][]float32 // of which log q of the word is not known yet
	var news []wordAt
	for i, at := range asked {
		if _, known := f.states.logQ[at]; !known {
			f.states.logQ[at] = 0
			newStates, news = append(newStates, states[i]), append(news, at)
		}
	}
	words := lists.Map(news, func(at wordAt) int64 { return at.word })
	err = f.forStates(ctx, newStates, func(from, n int, h *torch.Tensor) error {
		of := roundedUp(words[from : from+n])
		for i, row := range f.words.Likeliest(h, of, 0, f.Config.firstWord(), 1, true)[:n] {
			f.states.logQ[news[from+i]] = float64(row[2])
		}
		return nil
	})
	if err != nil {
		f.states.of = nil // some are missing
		return nil, err
	}
	return dealt(lists.Map(asked, func(at wordAt) float64 { return f.states.logQ[at] }), d), nil
}

// wordAt is a word and the state of the mask where it is asked about.
type wordAt struct {
	state *float32
	word  int64
}

// rowsAtOnce bounds the states that the vocabulary layer is asked about at a time.
const rowsAtOnce = 1024

// forStates calls fn in a scope of its own with states as a tensor, so many at a time.
func (f *Filler) forStates(
	ctx context.Context, states [][]float32, fn func(from, n int, h *torch.Tensor) error,
) error {
	for from := 0; from < len(states); from += rowsAtOnce {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(rowsAtOnce, len(states)-from)
		if err := torch.NoGrad(func() error { return fn(from, n, f.tensor(states[from:from+n])) }); err != nil {
			return err
		}
	}
	return nil
}

// tensor returns states [K, d], of which the last ones may be there for their number alone.
func (f *Filler) tensor(states [][]float32) *torch.Tensor {
	states = roundedUp(states)
	return torch.FromFloats(slices.Concat(states...), int64(len(states)), int64(len(states[0])))
}

// maskStates keeps the states of masks by what the encoder read. Guided refill asks it about the
// same again and again: in several ways of writing, and about one word after another.
type maskStates struct {
	of      map[string][][]float32
	before  map[string][][]float32     // those that go next unless they are asked for
	words   map[*float32][]guided.Fill // the likeliest words at a state, without Own
	logQ    map[wordAt]float64
	numbers int // that are kept, of states
}

// mostNumbers bounds what each of the two maps keeps, 32 MB.
const mostNumbers = 1 << 23

// tokensAtOnce bounds the tokens that go through the encoder together: what a layer makes of more
// does not stay in a core's cache.
const tokensAtOnce = 1500

// statesOf returns the states of all masks of sentences, in order, where d's styles are to.
func (f *Filler) statesOf(ctx context.Context, d corpus.Encoded, to []int) ([][]float32, error) {
	codes, s := f.Config.codes(), &f.states
	if s.numbers > mostNumbers || s.of == nil {
		*s = maskStates{
			of: map[string][][]float32{}, before: s.of,
			words: map[*float32][]guided.Fill{}, logQ: map[wordAt]float64{},
		}
	}
	keys := make([]string, len(d.IDs))
	var inputs [][]int64 // those that are new
	var places [][]int64 // of the masks of each
	var news []string
	for i, words := range d.IDs {
		input := codes.input(words, d.Masks[i], d.Styles[i], to[i])
		var at []int64
		var key []byte
		for k, id := range input {
			if k < len(words) && d.Masks[i][k] {
				at, id = append(at, int64(k)), -1-id
			}
			key = binary.AppendVarint(key, id)
		}
		keys[i] = string(key)
		if _, known := s.of[keys[i]]; known || len(at) == 0 {
			continue
		}
		s.of[keys[i]] = s.before[keys[i]]
		if states := s.of[keys[i]]; states != nil {
			s.numbers += len(states) * len(states[0])
		} else {
			inputs, places, news = append(inputs, input), append(places, at), append(news, keys[i])
		}
	}
	err := nn.ForStretches(ctx, inputs, tokensAtOnce, func(from int, some [][]int64) error {
		var rows []int64
		first := int64(0)
		for i, input := range some {
			for _, k := range places[from+i] {
				rows = append(rows, first+k)
			}
			first += int64(len(input))
		}
		var h *torch.Tensor
		torch.Autocast(f.bf16, func() { h = f.enc.spans(f.layers, some, roundedUp(rows)) })
		flat, dim := h.Floats(), int(h.Size(1))
		for i := range some {
			for range places[from+i] {
				s.of[news[from+i]] = append(s.of[news[from+i]], slices.Clone(flat[:dim]))
				flat = flat[dim:]
			}
			s.numbers += dim * len(places[from+i])
		}
		return nil
	})
	if err != nil {
		s.of = nil // some are missing
		return nil, err
	}
	var out [][]float32
	for _, key := range keys {
		out = append(out, s.of[key]...)
	}
	return out, nil
}

// allSlots tells whether the model is asked about all slots of sentences, of which none holds the
// empty word then without being masked: lengths are chosen by what it says of these, and need log q
// in the other styles too.
func allSlots(d corpus.Encoded) bool {
	for i, words := range d.IDs {
		for k, id := range words {
			if id == emptyID && !d.Masks[i][k] {
				return false
			}
		}
	}
	return true
}

// statesAtOnce bounds the states whose words' weights are gathered at a time: 4 MB of them at d
// 256. All at once they would be the largest blocks of a transfer, each of another size.
const statesAtOnce = 128

// logits returns the logits of k words at each of the states [K, d]: [K*k].
func (f *Filler) logits(states *torch.Tensor, ids []int64, k int64) (out []float32, err error) {
	d := states.Size(1)
	for from, n := int64(0), states.Size(0); from < n && err == nil; from += statesAtOnce {
		some := min(statesAtOnce, n-from)
		err = torch.Scoped(func() error {
			at := ints(ids[from*k : (from+some)*k])
			w := f.out.W.Rows(at).Reshape(some, k, d)
			products := w.MatMul(states.Narrow(0, from, some).To(torch.Float).Reshape(some, d, 1)).Reshape(some * k)
			out = append(out, products.Add(f.out.B.Rows(at)).Floats()...)
			return nil
		})
	}
	return out, err
}

// roundedUp repeats the first item until their number is one of few, at most 3 % more. oneDNN
// compiles its products anew for every number of rows, and what it keeps of each would lie between
// the blocks of memory that a transfer frees.
func roundedUp[T any](some []T) []T {
	step := 1
	for len(some) > 32*step {
		step *= 2
	}
	return append(slices.Clip(some), slices.Repeat(some[:1], (step-len(some)%step)%step)...)
}
