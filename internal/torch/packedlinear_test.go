package torch

import (
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"pgregory.net/rapid"
)

// TestAttendIsAttention checks that Attend gives each query the same result as attention to only
// those rows of the cache that are in the query's span. Heads may have any width, and spans may
// overlap. The test runs in float32, which our kernel computes, and in float64, which libtorch's
// operations compute. On a GPU, they compute float32 too.
func TestAttendIsAttention(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		heads, width := rapid.Int64Range(1, 4).Draw(t, "heads"), rapid.Int64Range(1, 40).Draw(t, "width")
		n, store := rapid.IntRange(1, 20).Draw(t, "rows"), rapid.IntRange(1, 30).Draw(t, "cache")
		var s Spans
		total := store
		if rapid.Bool().Draw(t, "with slots") {
			total = rapid.IntRange(1, 60).Draw(t, "slots")
			s.Slots = rapid.SliceOfN(rapid.Int32Range(0, int32(store-1)), total, total).Draw(t, "slots")
		}
		for range n {
			start := rapid.Int32Range(0, int32(total-1)).Draw(t, "start")
			s.Start = append(s.Start, start)
			s.Length = append(s.Length, rapid.Int32Range(1, int32(total)-start).Draw(t, "length"))
		}
		d := heads * width
		err := Run(func() error {
			Seed(3)
			q, kv := randn(int64(n), d), randn(int64(store), 2*d)
			for _, as := range []DType{Float, Double} {
				got := Attend(q.To(as), kv.To(as), heads, s, false).To(Float).Floats()
				for i := range n {
					var rows []int64
					for j := s.Start[i]; j < s.Start[i]+s.Length[i]; j++ {
						if s.Slots == nil {
							rows = append(rows, int64(j))
						} else {
							rows = append(rows, int64(s.Slots[j]))
						}
					}
					own := kv.Rows(FromInts(rows, int64(len(rows))))
					batch := func(x *Tensor) *Tensor { return x.Reshape(1, -1, d) }
					want := plainAttention(
						batch(q.Narrow(0, int64(i), 1)), batch(own.Narrow(1, 0, d)), batch(own.Narrow(1, d, d)), heads,
						false,
					)
					// Scores reach about 5. A rounding error of a score is a relative error of the
					// weight, hence the factor 5. Values may cancel each other in an output, so the
					// error is compared with the magnitude of the values.
					tolerance := 5 * testkit.RoundingBound(int(width), 2*len(rows))
					values := own.Narrow(1, d, d).Floats()
					row := got[i*int(d) : (i+1)*int(d)]
					off := testkit.Difference(slices.Concat(row, values), slices.Concat(want.Floats(), values))
					if !(off <= tolerance) {
						t.Fatalf("type %v: row %d is off by %.2g, at most %.2g expected", as, i, off, tolerance)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestAttendInHalves checks that Attend rounds scores and weights to bfloat16 if half is set. The
// test computes the outputs itself and rounds at the same points. If half is set, nearly all
// outputs of Attend must equal those of the test. If half is not set, many must differ.
func TestAttendInHalves(t *testing.T) {
	onTorch(t, func() error {
		Seed(5)
		const n, heads, width = 12, 4, 16
		const d = heads * width
		rounded := func(x ...float32) []float32 {
			return FromFloats(x, int64(len(x))).To(BFloat16).To(Float).Floats()
		}
		qkv := rounded(randn(n, 3*d).Floats()...)
		want := make([]float32, n*d)
		for i := range n {
			for h := range heads {
				at := func(row, part, e int) float64 { return float64(qkv[row*3*d+part*d+h*width+e]) }
				scores, weights := make([]float32, n), make([]float32, n)
				for j := range scores {
					sum := 0.0
					for e := range width {
						sum += at(i, 0, e) * at(j, 1, e)
					}
					scores[j] = float32(sum)
				}
				total := 0.0
				for j, score := range rounded(scores...) {
					x := math.Exp(float64(score) / 4) // 4 is the square root of the head width
					weights[j], total = float32(x), total+x
				}
				for j := range weights {
					weights[j] = float32(float64(weights[j]) / total)
				}
				for j, w := range rounded(weights...) {
					for e := range width {
						want[i*d+h*width+e] += w * float32(at(j, 2, e))
					}
				}
			}
		}
		want = rounded(want...)
		own := FromFloats(qkv, n, 3*d)
		q, kv := own.Narrow(1, 0, d), Cat(1, own.Narrow(1, d, d), own.Narrow(1, 2*d, d))
		s := Spans{Start: make([]int32, n), Length: slices.Repeat([]int32{n}, n)}
		for _, as := range []DType{Float, Double} { // float64 is for libtorch's operations
			differ := map[bool]int{}
			for _, half := range []bool{false, true} {
				for i, x := range rounded(Attend(q.To(as), kv.To(as), heads, s, half).To(Float).Floats()...) {
					if x != want[i] {
						differ[half]++
					}
				}
			}
			if differ[true] > n*d/20 || differ[false] < n*d/5 {
				t.Errorf("type %v: of %d numbers %d differ with half, %d without", as, n*d, differ[true], differ[false])
			}
		}
		return nil
	})
}

// TestAttendSaturates checks that a score far above all others gets all the weight, whatever its
// magnitude.
func TestAttendSaturates(t *testing.T) {
	onTorch(t, func() error {
		q := FromFloats([]float32{1e4, 0}, 1, 2)
		kv := FromFloats([]float32{1e3, 0, 5, 6, -1e3, 0, 7, 8, 0, 0, 9, 10}, 3, 4)
		got := Attend(q, kv, 1, Spans{Start: []int32{0}, Length: []int32{3}}, false).Floats()
		if !slices.Equal(got, []float32{5, 6}) {
			t.Errorf("got %v, want the first row's values 5 and 6", got)
		}
		return nil
	})
}

func TestAttendRefuses(t *testing.T) {
	for _, c := range []struct {
		s    Spans
		text string
	}{
		{Spans{Start: []int32{0, 2}, Length: []int32{1, 3}}, "a span of another cache"},
		{Spans{Start: []int32{-1, 0}, Length: []int32{1, 1}}, "a span of another cache"},
		{Spans{Start: []int32{0, 0}, Length: []int32{0, 1}}, "a span of another cache"},
		{Spans{Slots: []int32{0, 4}, Start: []int32{0, 0}, Length: []int32{2, 1}}, "a slot of another cache"},
		{Spans{Start: []int32{0}, Length: []int32{1}}, "shapes differ"},
	} {
		err := Run(func() error { Attend(Zeros(2, 4), Zeros(4, 8), 2, c.s, false); return nil })
		wantOpError(t, err, "attend", c.text)
	}
	wantOpError(t, Run(func() error {
		Pack(Zeros(5, 4), Zeros(5), Packing{}).Likeliest(Zeros(1, 4), []int64{5}, 1, 0, 1, false)
		return nil
	}), "likeliest", "no word 5")
	wantOpError(t, Run(func() error {
		Pack(Zeros(5, 4), Zeros(5), Packing{}).Likeliest(Zeros(1, 4), []int64{1}, 1, 3, 3, false)
		return nil
	}), "likeliest", "fewer words")
}

// TestPackedIsLinear compares the products of packed and unpacked weights with those of a linear
// layer, in float32 and bfloat16. Inputs may have more or fewer rows than the weights were packed
// for.
func TestPackedIsLinear(t *testing.T) {
	onTorch(t, func() error {
		w, b := randn(33, 20), randn(33)
		for _, n := range []int64{1, 2, 17, 300} {
			x := randn(n, 20)
			want := x.Linear(w, b)
			var rounded []float32
			if WhyNoBF16() == "" {
				rounded = x.To(BFloat16).Linear(w.To(BFloat16), b.To(BFloat16)).To(Float).Floats()
			}
			for _, rows := range []int64{0, 1, 256} {
				p := Pack(w, b, Packing{Rows: rows})
				for name, pair := range map[string][2]*Tensor{
					"product": {p.Forward(x), want}, "ReLU": {p.ForwardRelu(x), want.relu()},
				} {
					off := testkit.Difference(pair[0].Floats(), pair[1].Floats())
					if !(off <= testkit.RoundingBound(21)) {
						t.Errorf("%d rows, packed for %d: the %s is off by %.2g", n, rows, name, off)
					}
				}
				if WhyNoBF16() != "" {
					continue
				}
				half := Pack(w, b, Packing{Rows: rows, BF16: true}).Forward(x)
				if half.DType() != Float {
					t.Errorf("what comes out is of type %d", half.DType())
				}
				for i, y := range half.Floats() { // both values are rounded to 8 bits once
					if math.Abs(float64(y-rounded[i])) > 1.0/128*max(1, math.Abs(float64(rounded[i]))) {
						t.Errorf("bfloat16: %v, want %v", y, rounded[i])
						return nil
					}
				}
			}
		}
		return nil
	})
}

// TestLikeliest compares Likeliest with log softmax and a full sort. There are more rows than
// Likeliest computes in one block.
func TestLikeliest(t *testing.T) {
	onTorch(t, func() error {
		const n, in, words, first, open = 600, 8, 333, 9, 470
		w, b, x := randn(words, in), randn(words), randn(n, in)
		want := make([]int64, n)
		for i := range want {
			want[i] = int64(i * 31 % words)
		}
		logits := x.Linear(w, b)
		logp := logits.logSoftmax(1).Floats()
		raw := logits.Floats()
		tolerance := testkit.RoundingBound(in, words) * float64(slices.Max(logits.Abs().Floats()))
		for _, how := range []Packing{{}, {Rows: 256}} {
			p, wide := Pack(w, b, how), Pack(w.To(Double), b.To(Double), how) // float64 is for libtorch's operations
			for _, k := range []int64{1, 5, words - first} {
				for _, normalise := range []bool{false, true} {
					for _, p := range []*Packed{p, wide} {
						found := p.Likeliest(x, want, open, first, k, normalise)
						values := raw
						if normalise {
							values = logp
						}
						for i, row := range found {
							all := values[i*words : (i+1)*words]
							if math.Abs(float64(row[2*k]-all[want[i]])) > tolerance {
								t.Errorf("row %d has %v at its word, want %v", i, row[2*k], all[want[i]])
								return nil
							}
							if i >= open {
								continue
							}
							order := make([]int, words-first)
							for j := range order {
								order[j] = first + j
							}
							slices.SortFunc(
								order, func(a, b int) int { return int(math.Copysign(1, float64(all[b]-all[a]))) },
							)
							for j := range k {
								id := int(row[k+j])
								if math.Abs(float64(row[j]-all[id])) > tolerance ||
									math.Abs(float64(all[id]-all[order[j]])) > tolerance {
									t.Errorf(
										"row %d: number %d is %d with %v, want %d with %v", i, j, id, row[j], order[j],
										all[order[j]],
									)
									return nil
								}
							}
						}
					}
				}
			}
		}
		return nil
	})
}

// TestLikeliestOfEquals checks that Likeliest takes the words with the lowest indices if several
// words are equally likely.
func TestLikeliestOfEquals(t *testing.T) {
	onTorch(t, func() error {
		p := Pack(Zeros(300, 2), FromFloats(append(make([]float32, 299), -1), 300), Packing{})
		row := p.Likeliest(Zeros(1, 2), []int64{7}, 1, 9, 3, true)[0]
		if got := row[3:6]; !slices.Equal(got, []float32{9, 10, 11}) {
			t.Errorf("of equal words %v", got)
		}
		return nil
	})
}

// TestLikeliestOfNoNumbers checks that Likeliest fails if weights are finite but their products
// overflow.
func TestLikeliestOfNoNumbers(t *testing.T) {
	for _, large := range []float32{1e20, 3e38} {
		for _, as := range []DType{Float, Double} { // float64 is for libtorch's operations
			for _, normalise := range []bool{false, true} {
				err := Run(func() error {
					w := FromFloats(slices.Repeat([]float32{large, -large}, 300), 300, 2)
					p := Pack(w.To(as), Zeros(300).To(as), Packing{})
					p.Likeliest(FromFloats([]float32{1e20, 1}, 1, 2), []int64{7}, 1, 9, 3, normalise)
					return nil
				})
				if err == nil || err.Error() != wording.NoNumbers("the model's logits") {
					t.Errorf("weights of %v, type %v, normalise %v: %v", large, as, normalise, err)
				}
			}
		}
	}
}

// TestDecodeThreads checks that attention and Likeliest give the same bits for any number of
// threads. libtorch computes the matrix product in Likeliest, so the test uses numbers for which
// this product is exact in any order of summation.
func TestDecodeThreads(t *testing.T) {
	var want []float32
	for _, threads := range []int{1, 2, 3} {
		onTorch(t, func() error {
			defer SetThreads(Threads())
			SetThreads(threads)
			Seed(5)
			q, kv, w, b := randn(70, 48), randn(90, 96), whole(1.0/16, 1000, 48), whole(1.0/16, 1000)
			s := Spans{Start: make([]int32, 70), Length: make([]int32, 70)}
			for i := range 70 {
				s.Start[i], s.Length[i] = int32(i%40), int32(1+i%50)
			}
			y := Attend(q, kv, 3, s, false)
			got := y.Floats()
			for _, row := range Pack(w, b, Packing{Rows: 64}).Likeliest(
				whole(1, 70, 48), make([]int64, 70), 70, 9, 4, true,
			) {
				got = append(got, row...)
			}
			if want == nil {
				want = got
			}
			if !sameBits(got, want) {
				t.Errorf("%d threads give other bits", threads)
			}
			return nil
		})
	}
}
