package smlm

import (
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
)

// everyCodes returns all combinations of control codes.
func everyCodes() []controlCodes {
	return []controlCodes{{}, {SourceToken: true}}
}

func withCodes(c Config, f controlCodes) Config {
	c.ControlCodes = recipe.ControlCodes(f)
	return c
}

// TestControlCodes checks inputs and targets for a sentence of three words that is rewritten from
// style 1 to style 0. The word in the middle is masked.
func TestControlCodes(t *testing.T) {
	const mask, src, dst = corpus.MaskID, corpus.Src1, corpus.Dst0
	d := corpus.Encoded{
		IDs: [][]int64{{9, 10, 11}}, Styles: []int{1}, Targets: []int{0}, Masks: [][]bool{{false, true, false}},
	}
	for _, c := range []struct {
		controlCodes
		input []int64
	}{
		{controlCodes{SourceToken: true}, []int64{9, mask, 11, src, dst}},
		{controlCodes{}, []int64{9, mask, 11, dst}},
	} {
		if got := c.controlCodes.input(d.IDs[0], d.Masks[0], 1, 0); !slices.Equal(got, c.input) {
			t.Errorf("%+v: input %v, want %v", c.controlCodes, got, c.input)
		}
		all := c.controlCodes.targets(d, []int{0}, Objective{})
		if !slices.Equal(all.tokens, []int64{9, 10, 11}) || !slices.Equal(all.rows, []int64{0, 1, 2}) {
			t.Errorf("%+v: all targets %v at %v", c.controlCodes, all.tokens, all.rows)
		}
		masked := c.controlCodes.targets(d, []int{0, 0}, Objective{Loss: recipe.Masked})
		rows := []int64{1, 1 + int64(len(c.input))}
		if !slices.Equal(masked.tokens, []int64{10, 10}) || !slices.Equal(masked.rows, rows) {
			t.Errorf("%+v: masked targets %v at %v", c.controlCodes, masked.tokens, masked.rows)
		}
	}
}

// TestWhatAStateSees uses a model without layers, in which a state depends only on the token at its
// position. It checks that changing word k changes only the state of word k, and that changing a
// masked word changes nothing.
func TestWhatAStateSees(t *testing.T) {
	d := corpus.Encoded{
		IDs: [][]int64{{9, 10, 11, 12}}, Styles: []int{0}, Targets: []int{1},
		Masks: [][]bool{{false, false, true, false}},
	}
	for _, f := range everyCodes() {
		parity.OnTorch(t, func() error {
			c := withCodes(tiny, f)
			c.Layers = 0
			m := freshOf(c)
			defer m.Params.Free()
			rows := func(d corpus.Encoded) [][]float32 {
				return slices.Collect(slices.Chunk(m.States(f.inputs(d, []int{0}, d.Targets), false).Floats(), c.Dim))
			}
			base := rows(d)
			for k := range 4 {
				moved := d
				moved.IDs = [][]int64{slices.Clone(d.IDs[0])}
				moved.IDs[0][k] = 20
				for p, row := range rows(moved) {
					if differs := !slices.Equal(row, base[p]); differs != (p == k && k != 2) {
						t.Errorf("%+v: word %d changes, and the state of word %d: %v", f, k, p, differs)
					}
				}
			}
			return nil
		})
	}
}

// TestSourceToken checks that states depend on the source style if the input contains its control
// code, and not otherwise. The target style is the same in both inputs.
func TestSourceToken(t *testing.T) {
	d := corpus.Encoded{
		IDs: [][]int64{{9, 10}, {9, 10}}, Styles: []int{0, 1}, Targets: []int{1, 0},
		Masks: [][]bool{{true, false}, {true, false}},
	}
	for _, f := range everyCodes() {
		parity.OnTorch(t, func() error {
			m := freshOf(withCodes(tiny, f))
			defer m.Params.Free()
			states := func(i int, to []int) []float32 {
				return m.States(f.inputs(d, []int{i}, to), false).Floats()
			}
			if slices.Equal(states(0, d.Targets), states(1, d.Styles)) != !f.SourceToken {
				t.Errorf("%+v: the source's style is seen or not, the other way round", f)
			}
			if slices.Equal(states(0, d.Targets), states(0, d.Styles)) {
				t.Errorf("%+v: the style asked for is not seen", f)
			}
			return nil
		})
	}
}

// TestConfigFile checks that the shape of a model is stored with the key names of an experiment
// file and can be read back.
func TestConfigFile(t *testing.T) {
	testkit.WantShape(t, small, map[string]any{
		"vocab": 23., "layers": 2., "heads": 3., "dim": 12., "ff": 20., "source_token": true, "dropout": 0.,
	})
}
