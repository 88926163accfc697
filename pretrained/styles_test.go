package pretrained

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

func tinyStyles(classes int) StylesConfig {
	return StylesConfig{WordsConfig: tiny(2).WordsConfig, Classes: classes, Mixed: classes > 2}
}

// TestStylesAreOfTheSentence: what is said of a sentence, with the same one beside it too, is
// what is said of it alone; words behind those that the encoder reads do not matter, and no
// words do not hurt.
func TestStylesAreOfTheSentence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sentence := rapid.SliceOfN(rapid.Int64Range(corpus.UnkID, words-1), 0, 8)
		ids := rapid.SliceOfN(sentence, 1, 12).Draw(t, "ids")
		classes := rapid.IntRange(2, 3).Draw(t, "classes")
		err := torch.Run(func() error {
			torch.Seed(7)
			m := NewStyles(tinyStyles(classes))
			defer m.Params.Free()
			for _, p := range m.Params.All() {
				if size := p.Shape(); len(size) > 1 {
					p.Set(torch.Randn(size...).Scale(.5))
				}
			}
			all, err := m.LogProbs(context.Background(), append(slices.Clone(ids), ids...))
			if err != nil {
				return err
			}
			styles, err := m.Predict(context.Background(), ids)
			if err != nil {
				return err
			}
			for i, row := range ids {
				alone, err := m.LogProbs(context.Background(), [][]int64{row[:min(len(row), 6)]})
				if err != nil {
					return err
				}
				sum := 0.
				for class, p := range alone[0] {
					sum += math.Exp(p)
					if !near(p, all[i][class]) || all[i][class] != all[len(ids)+i][class] {
						t.Errorf("%v: %v, alone %v, again %v", row, all[i], alone[0], all[len(ids)+i])
					}
				}
				if math.Abs(sum-1) > roundingOff || len(alone[0]) != classes ||
					all[i][styles[i]] != slices.Max(all[i]) {
					t.Errorf("%v: %v, of which %d is the likeliest", row, all[i], styles[i])
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestStylesLearn: a style that only the order of words tells is learnt, and found again in a
// file.
func TestStylesLearn(t *testing.T) {
	var d corpus.Encoded
	for i := range 60 {
		ids, style := []int64{9, 10, int64(12 + i%4)}, i%2
		if style == 1 {
			ids[0], ids[1] = ids[1], ids[0]
		}
		d.IDs, d.Styles = append(d.IDs, ids), append(d.Styles, style)
	}
	parity.OnTorch(t, func() error {
		m := NewStyles(tinyStyles(2))
		defer m.Params.Free()
		live := torch.Live()
		h, err := m.Train(context.Background(), d, d, maskedRecipe(40))
		if err != nil {
			return err
		}
		if n := torch.Live(); n != live {
			t.Errorf("%d tensors were left", n-live)
		}
		if h.Kept().Dev.Accuracy < 99 {
			t.Errorf("accuracy %v", h.Kept().Dev.Accuracy)
		}
		path := filepath.Join(t.TempDir(), "m.safetensors")
		if err := m.Params.Save(path); err != nil {
			return err
		}
		again := NewStyles(tinyStyles(2))
		defer again.Params.Free()
		if err := again.Params.Load(path); err != nil {
			return err
		}
		v, err := again.Evaluate(context.Background(), d)
		if v != h.Kept().Dev {
			t.Errorf("from the file %+v, before %+v", v, h.Kept().Dev)
		}
		return err
	})
}

func TestStylesCheck(t *testing.T) {
	for _, c := range []StylesConfig{{Classes: 1}, {Classes: -1}, {Classes: 2, Mixed: true}, {Classes: 1 << 20}} {
		c.WordsConfig = tiny(1).WordsConfig
		testkit.WantError(t, c.Check(), userr.BadInput, "the classifier of an encoder has")
	}
	if err := tinyStyles(3).Check(); err != nil {
		t.Error(err)
	}
}

// TestStylesOfVectors: over the vectors of words an encoder says what it says of the words, and
// what a vector is changed by comes through it although its own weights stand still.
func TestStylesOfVectors(t *testing.T) {
	parity.OnTorch(t, func() error {
		torch.Seed(3)
		m := NewStyles(tinyStyles(3))
		defer m.Params.Free()
		for _, p := range m.Params.All() {
			if size := p.Shape(); len(size) > 1 {
				p.Set(torch.Randn(size...).Scale(.5))
			}
		}
		m.Params.Freeze("")
		long := []int64{9, 8, 10, 11, 12, 13, 9, 8} // of which it reads six
		rows := [][]int64{long, slices.Clone(long)}
		rows[1][2] = 14
		want := m.logits(nn.Gather(m.rows(rows), []int{0, 1}), false).Floats()
		words := nn.NewParams()
		defer words.Free()
		ids := torch.FromInts(slices.Concat(rows...), 2, int64(len(long)))
		v := words.Add("words", torch.Embed(m.Vectors(), ids))
		for i, x := range m.OfVectors(v).Floats() {
			if !near(float64(x), float64(want[i])) {
				t.Errorf("%v of vectors, %v of words", x, want[i])
			}
		}
		loss := func() *torch.Tensor {
			return torch.CrossEntropy(m.OfVectors(v), ints([]int64{2, 0}), torch.ReduceMean)
		}
		loss().Backward()
		grads, values := v.Grad().Floats(), v.Floats()
		for _, at := range []int{0, 5, len(values)/2 + 3} {
			ends := [2]float64{}
			for k, by := range []float32{.01, -.01} {
				moved := slices.Clone(values)
				moved[at] += by
				_ = torch.NoGrad(func() error { // it returns what the function does
					v.Set(torch.FromFloats(moved, v.Shape()...))
					return nil
				})
				ends[k] = loss().Item()
			}
			slope := (ends[0] - ends[1]) / .02
			if off := math.Abs(slope - float64(grads[at])); off > .02*math.Abs(slope)+1e-3 || slope == 0 {
				t.Errorf("number %d has the gradient %v, want %v", at, grads[at], slope)
			}
		}
		return nil
	})
}
