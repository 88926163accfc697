package nn

import (
	"fmt"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"pgregory.net/rapid"
)

// TestIncrementalDecoder grows a tree of hypotheses for sources of different lengths. Some
// hypotheses grow by several positions at once. Every requested state must equal the state that the
// full decoder computes for the whole hypothesis.
func TestIncrementalDecoder(t *testing.T) {
	type hypothesis struct {
		source int
		path   []int32
		inputs []int64 // for each position, the row of its input vector in the tensor "table"
	}
	rapid.Check(t, func(t *rapid.T) {
		const dim, vectors = 12, 40
		shape := recipe.SMLMShape{Dim: dim, Heads: 3, FF: 20}
		rows := []int64{0, 1, 256}[rapid.IntRange(0, 2).Draw(t, "laid out")]
		widths := rapid.SliceOfN(rapid.IntRange(1, 5), 1, 4).Draw(t, "widths")
		layers := rapid.IntRange(1, 3).Draw(t, "layers")
		err := torch.Run(func() error {
			torch.Seed(9)
			p := NewParams()
			defer p.Free()
			var stack []*DecoderLayer
			for i := range layers {
				stack = append(stack, NewDecoderLayer(p, fmt.Sprint(i), shape, .5))
			}
			return torch.NoGrad(func() error {
				table := torch.Uniform(-2, 2, vectors, dim)
				var memories []*torch.Tensor
				var starts []int32
				var alive []hypothesis
				total := int32(0)
				for i, n := range widths {
					memories, starts = append(memories, torch.Uniform(-2, 2, int64(n), dim)), append(starts, total)
					total += int32(n)
					alive = append(alive, hypothesis{source: i})
				}
				const capacity = 400
				c := NewIncrementalDecoder(stack, torch.Packing{Rows: rows}).Cache(torch.Cat(0, memories...), capacity)
				for range rapid.IntRange(1, 5).Draw(t, "steps") {
					var inputs, want []int64
					var self, cross torch.Spans
					var next, of []hypothesis
					for range rapid.IntRange(1, 6).Draw(t, "hypotheses") {
						h := alive[rapid.IntRange(0, len(alive)-1).Draw(t, "parent")]
						h.path, h.inputs = append([]int32{}, h.path...), append([]int64{}, h.inputs...)
						start := int32(len(self.Slots))
						for range rapid.IntRange(1, 3).Draw(t, "positions") {
							h.path = append(h.path, int32(c.Used()+len(inputs)))
							h.inputs = append(h.inputs, int64(rapid.IntRange(0, vectors-1).Draw(t, "vector")))
							inputs = append(inputs, h.inputs[len(h.inputs)-1])
							self.Start, self.Length = append(self.Start, start), append(self.Length, int32(len(h.path)))
							cross.Start, cross.Length = append(cross.Start, starts[h.source]), append(
								cross.Length, int32(widths[h.source]),
							)
							if rapid.Bool().Draw(t, "wanted") || len(want) == 0 {
								// Request the states in reverse order.
								want, of = append(
									[]int64{int64(len(inputs) - 1)}, want...,
								), append([]hypothesis{h}, of...)
							}
						}
						self.Slots = append(self.Slots, h.path...)
						next = append(next, h)
					}
					x := table.Rows(torch.FromInts(inputs, int64(len(inputs))))
					got := c.Forward(x, self, cross, want).Floats()
					for i, h := range of {
						y := table.Rows(torch.FromInts(h.inputs, int64(len(h.inputs)))).Reshape(1, -1, dim)
						m := memories[h.source].Reshape(1, -1, dim)
						for _, l := range stack {
							y = l.Forward(y, m, false)
						}
						// The bound on the rounding error is for a layer with seven matrix
						// products, whose sums have at most ff terms, and two softmaxes.
						off := testkit.Difference(got[i*dim:(i+1)*dim], y.Narrow(1, int64(len(h.inputs)-1), 1).Floats())
						if !(off <= testkit.RoundingBound(testkit.Chain(9*len(stack), shape.FF)...)) {
							t.Fatalf("position %d is off by %.2g", len(h.inputs)-1, off)
						}
					}
					alive = append(alive, next...)
				}
				return nil
			})
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestSpanEncoder checks that a sentence has the same states alone and in a batch of sentences of
// several lengths. Some tokens share a vector.
func TestSpanEncoder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const dim, vectors = 12, 20
		shape := recipe.SMLMShape{Dim: dim, Heads: 3, FF: 20}
		rows := []int64{0, 1, 256}[rapid.IntRange(0, 2).Draw(t, "laid out")]
		layers := rapid.IntRange(0, 3).Draw(t, "layers")
		gelu := rapid.Bool().Draw(t, "gelu")
		sentences := rapid.SliceOfN(
			rapid.SliceOfN(rapid.Int64Range(0, vectors-1), 1, 7), 1, 5,
		).Draw(t, "sentences")
		err := torch.Run(func() error {
			torch.Seed(9)
			p := NewParams()
			defer p.Free()
			var stack []*EncoderLayer
			for i := range layers {
				l := NewEncoderLayer(p, fmt.Sprint(i), shape, .5)
				l.GELU = gelu
				stack = append(stack, l)
			}
			return torch.NoGrad(func() error {
				table := torch.Uniform(-2, 2, vectors, dim)
				var all, want []int64
				var s torch.Spans
				var alone []float32
				for _, of := range sentences {
					x := table.Rows(torch.FromInts(of, int64(len(of)))).Reshape(1, -1, dim)
					for _, l := range stack {
						x = l.Forward(x, false)
					}
					states := x.Floats()
					from := len(all)
					for k := range of {
						s.Start, s.Length = append(s.Start, int32(from)), append(s.Length, int32(len(of)))
						if rapid.Bool().Draw(t, "wanted") || len(want) == 0 {
							want, alone = append(want, int64(from+k)), append(alone, states[k*dim:(k+1)*dim]...)
						}
					}
					all = append(all, of...)
				}
				got := NewSpanEncoder(stack, torch.Packing{Rows: rows}).Forward(table, all, s, want).Floats()
				// The bound on the rounding error is for a layer with six matrix products, whose
				// sums have at most ff terms, and a softmax.
				most := testkit.RoundingBound(testkit.Chain(7*max(1, len(stack)), shape.FF)...)
				if off := testkit.Difference(got, alone); len(got) != len(alone) || !(off <= most) {
					t.Fatalf("%d numbers, want %d; off by %.2g", len(got), len(alone), off)
				}
				return nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
