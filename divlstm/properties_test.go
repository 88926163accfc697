package divlstm

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// TestConicityOfParallel: parallel states have 1, opposite ones too as long as they do not cancel, whatever their lengths.
func TestConicityOfParallel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 8).Draw(t, "d")
		n := rapid.IntRange(1, 10).Draw(t, "n")
		direction := rapid.SliceOfN(rapid.Float32Range(.1, 1), d, d).Draw(t, "direction")
		var flat []float32
		for range n {
			length := rapid.Float32Range(.1, 10).Draw(t, "length")
			for _, x := range direction {
				flat = append(flat, length*x)
			}
		}
		var got float64
		if err := torch.Run(func() error { got = Conicity(torch.FromFloats(flat, 1, int64(n), int64(d))).Item(); return nil }); err != nil {
			t.Fatal(err)
		}
		if math.Abs(got-1) > 1e-5 {
			t.Fatalf("conicity %v, want 1", got)
		}
	})
}

// TestConicityCases: n orthonormal states have 1/sqrt(n), their cosine with their mean; a sign is ignored.
func TestConicityCases(t *testing.T) {
	onTorch(t, func() error {
		for n := 1; n <= 16; n++ {
			eye := make([]float32, n*n)
			for i := range n {
				eye[i*n+i] = 1
			}
			if got, want := Conicity(torch.FromFloats(eye, 1, int64(n), int64(n))).Item(), 1/math.Sqrt(float64(n)); math.Abs(got-want) > 1e-6 {
				t.Errorf("%d orthonormal states: %v, want %v", n, got, want)
			}
		}
		// Two sentences: (3, 0), (-1, 0) has mean (1, 0) and cosines 1, -1; (1, 0), (0, 1), (0, 1) has mean (1, 2)/3 and
		// cosines 1/sqrt 5, 2/sqrt 5, 2/sqrt 5.
		got := Conicity(torch.FromFloats([]float32{3, 0, -1, 0, 2, 0, 1, 0, 0, 1, 0, 1}, 2, 3, 2)).Floats()
		for i, want := range []float64{1, math.Sqrt(5) / 3} {
			if math.Abs(float64(got[i])-want) > 1e-6 {
				t.Errorf("sentence %d: %v, want %v", i, got[i], want)
			}
		}
		return nil
	})
}

// fresh returns a model of weights wide enough to tell sentences apart.
func fresh(dropout float64) *Model {
	torch.Seed(7)
	m := New(Config{Vocab: 30, Embedding: 6, Hidden: 5, Attention: 4, Bidirectional: true, Dropout: dropout})
	for _, p := range m.Params.All() {
		p.Set(p.Detach().Scale(4))
	}
	return m
}

// TestAttentionIsOfTheSentence: the same whatever the batch, its order and its company; positive, summing to 1.
func TestAttentionIsOfTheSentence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sentence := rapid.SliceOfN(rapid.Int64Range(0, 29), 1, 6)
		ids := rapid.SliceOfN(sentence, 1, 14).Draw(t, "ids")
		order := rapid.Permutation(indices(len(ids))).Draw(t, "order")
		err := torch.Run(func() error {
			m := fresh(.5) // no dropout outside training
			defer m.Params.Free()
			together, err := m.Attention(context.Background(), ids, nil)
			if err != nil {
				return err
			}
			var permuted [][]int64
			for _, i := range order {
				permuted = append(permuted, ids[i])
			}
			other, err := m.Attention(context.Background(), permuted, nil)
			if err != nil {
				return err
			}
			for k, i := range order {
				alone, err := m.Attention(context.Background(), ids[i:i+1], nil)
				if err != nil {
					return err
				}
				if !alike(together[i], other[k]) || !alike(together[i], alone[0]) {
					t.Errorf("sentence %d: %v, permuted %v, alone %v", i, together[i], other[k], alone[0])
				}
				sum := 0.0
				for _, a := range together[i] {
					if sum += float64(a); !(a > 0) {
						t.Errorf("attention %v", together[i])
					}
				}
				if len(together[i]) != len(ids[i]) || math.Abs(sum-1) > 1e-5 {
					t.Errorf("%d scores for %d words, their sum is %v", len(together[i]), len(ids[i]), sum)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func alike(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Abs(float64(x)-float64(y)) <= 1e-6 })
}

func TestShortAndUnknown(t *testing.T) {
	onTorch(t, func() error {
		m := fresh(0)
		defer m.Params.Free()
		got, err := m.Attention(context.Background(), [][]int64{{12}, {corpus.UnkID}, {corpus.UnkID, corpus.UnkID, corpus.UnkID}}, nil)
		if err != nil {
			return err
		}
		if got[0][0] != 1 || got[1][0] != 1 || len(got[2]) != 3 {
			t.Errorf("attention %v: a single word must have it all", got)
		}
		con := Conicity(m.Forward(torch.FromInts([]int64{12}, 1, 1), false).States).Item()
		if math.Abs(con-1) > 1e-6 {
			t.Errorf("conicity of one state %v, want 1", con)
		}
		none, err := m.Attention(context.Background(), nil, nil)
		if len(none) != 0 {
			t.Errorf("attention of no sentence: %v", none)
		}
		return err
	})
}

// TestEvaluateIgnoresBatches: the figures of a set are those of its sentences, however they are put together.
func TestEvaluateIgnoresBatches(t *testing.T) {
	onTorch(t, func() error {
		m := fresh(.5)
		defer m.Params.Free()
		d := nn.Labelled{IDs: [][]int64{{9, 10}, {11}, {12, 13}, {14, 15, 16}, {17}}, Styles: []int{0, 1, 1, 0, 0}}
		whole, err := m.Evaluate(context.Background(), d, 3)
		if err != nil {
			return err
		}
		var mean nn.Validation
		for i := range d.IDs {
			one, err := m.Evaluate(context.Background(), nn.Labelled{IDs: d.IDs[i : i+1], Styles: d.Styles[i : i+1]}, 3)
			if err != nil {
				return err
			}
			mean.Loss, mean.Accuracy, mean.Conicity = mean.Loss+one.Loss/5, mean.Accuracy+one.Accuracy/5, mean.Conicity+one.Conicity/5
		}
		for _, pair := range [][2]float64{{whole.Loss, mean.Loss}, {whole.Accuracy, mean.Accuracy}, {whole.Conicity, mean.Conicity}} {
			if math.Abs(pair[0]-pair[1]) > 1e-5*pair[1] {
				t.Errorf("together %+v, mean of single ones %+v", whole, mean)
			}
		}
		return nil
	})
}

// TestSameSeedSameBits trains twice, with dropout and conicity.
func TestSameSeedSameBits(t *testing.T) {
	train := func() (flat []float32) {
		onTorch(t, func() error {
			m := fresh(.5)
			defer m.Params.Free()
			d := nn.Labelled{IDs: [][]int64{{9, 10}, {11}, {12, 13}, {14, 15, 16}, {17}}, Styles: []int{0, 1, 1, 0, 0}}
			_, err := m.Train(context.Background(), d, d, Loss{LambdaCon: 1, Reduction: torch.ReduceMean},
				nn.Recipe{Seed: 2, Epochs: 3, KeepLast: true, LR: .01, Beta1: .5, Beta2: .999, BatchTokens: 4})
			for _, p := range m.Params.All() {
				flat = append(flat, p.Floats()...)
			}
			return err
		})
		return flat
	}
	a, b := train(), train()
	if len(a) == 0 || !slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }) {
		t.Error("two trainings of one seed differ")
	}
}
