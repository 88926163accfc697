package smlm

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

type codes = recipe.ControlCodes

// everyCodes is all there are.
func everyCodes() []controlCodes {
	var all []controlCodes
	for i := range 8 {
		all = append(all, Config{ControlCodes: codes{
			SourceToken: i&1 == 0, ClsToken: i&2 != 0, ShiftTargets: i&4 != 0,
		}}.codes())
	}
	return all
}

func withCodes(c Config, f controlCodes) Config {
	c.ControlCodes = f.ControlCodes
	return c
}

// TestControlCodes writes input and target of every choice of control codes out: three words, the
// middle one masked, style 1 to be written in style 0.
func TestControlCodes(t *testing.T) {
	const pad, mask, bos, eos = corpus.PadID, corpus.MaskID, corpus.BosID, corpus.EosID
	const src, dst = corpus.Src1, corpus.Dst0
	d := corpus.Encoded{
		IDs: [][]int64{{9, 10, 11}}, Styles: []int{1}, Asked: []int{0}, Masks: [][]bool{{false, true, false}},
	}
	for _, c := range []struct {
		controlCodes
		input, target []int64
	}{
		{
			controlCodes{ControlCodes: codes{SourceToken: true}},
			[]int64{9, mask, 11, src, dst},
			[]int64{9, 10, 11, src, dst},
		},
		{controlCodes{}, []int64{9, mask, 11, dst}, []int64{9, 10, 11, dst}},
		{
			controlCodes{ControlCodes: codes{ClsToken: true, SourceToken: true}},
			[]int64{pad, 9, mask, 11, src, dst},
			[]int64{pad, 9, 10, 11, src, dst},
		},
		{
			controlCodes{ControlCodes: codes{ClsToken: true}},
			[]int64{pad, 9, mask, 11, dst},
			[]int64{pad, 9, 10, 11, dst},
		},
		{
			controlCodes{ControlCodes: codes{ShiftTargets: true, SourceToken: true}},
			[]int64{bos, 9, mask, 11, src, dst},
			[]int64{9, 10, 11, eos, src, dst},
		},
		{
			controlCodes{ControlCodes: codes{ShiftTargets: true}},
			[]int64{bos, 9, mask, 11, dst},
			[]int64{9, 10, 11, eos, dst},
		},
		{
			controlCodes{ControlCodes: codes{ClsToken: true, ShiftTargets: true, SourceToken: true}},
			[]int64{pad, bos, 9, mask, 11, src, dst},
			[]int64{pad, 9, 10, 11, eos, src, dst},
		},
		// The published code's, run (notes on it, section 4).
		{
			controlCodes{ControlCodes: codes{ClsToken: true, ShiftTargets: true}},
			[]int64{pad, bos, 9, mask, 11, dst},
			[]int64{pad, 9, 10, 11, eos, dst},
		},
	} {
		if got := c.controlCodes.input(d.IDs[0], d.Masks[0], 1, 0); !slices.Equal(got, c.input) {
			t.Errorf("%+v: input %v, want %v", c.controlCodes, got, c.input)
		}
		if got := c.controlCodes.target(d.IDs[0], 1, 0); !slices.Equal(got, c.target) {
			t.Errorf("%+v: target %v, want %v", c.controlCodes, got, c.target)
		}
		all := c.controlCodes.targets(d, []int{0}, d.Asked, Objective{Loss: recipe.Positions})
		if !slices.Equal(all.tokens, c.target) || len(all.rows) != len(all.tokens) {
			t.Errorf("%+v: all targets %v at %v, want %v", c.controlCodes, all.tokens, all.rows, c.target)
		}
		masked := c.controlCodes.targets(d, []int{0, 0}, d.Asked, Objective{Loss: recipe.Masked})
		rows, got := masked.rows, masked.tokens
		at := int64(slices.Index(c.target, 10))
		if !slices.Equal(got, []int64{10, 10}) || !slices.Equal(rows, []int64{at, at + int64(len(c.target))}) {
			t.Errorf("%+v: masked targets %v at %v", c.controlCodes, got, rows)
		}
	}
}

// TestWhatAStateSees takes all layers away, so that a position sees its own token alone: word k is
// predicted from word k, or with a shift from the word before it. A masked word moves nothing.
func TestWhatAStateSees(t *testing.T) {
	d := corpus.Encoded{
		IDs: [][]int64{{9, 10, 11, 12}}, Styles: []int{0}, Asked: []int{1},
		Masks: [][]bool{{false, false, true, false}},
	}
	for _, f := range everyCodes() {
		parity.OnTorch(t, func() error {
			c := withCodes(tiny, f)
			c.Layers = 0
			m := freshOf(c)
			defer m.Params.Free()
			rows := func(d corpus.Encoded) [][]float32 {
				return slices.Collect(slices.Chunk(m.States(f.inputs(d, []int{0}, d.Asked), false).Floats(), c.Dim))
			}
			base := rows(d)
			for k := range 4 {
				moved := d
				moved.IDs = [][]int64{slices.Clone(d.IDs[0])}
				moved.IDs[0][k] = 20
				want := k
				if f.ShiftTargets {
					want++
				}
				for p, row := range rows(moved) {
					if differs := !slices.Equal(row, base[p]); differs != (p == want && k != 2) {
						t.Errorf("%+v: word %d changes, and the state of word %d: %v", f, k, p, differs)
					}
				}
			}
			return nil
		})
	}
}

// TestSourceToken: given the style to write, the one the sentence has matters exactly where it is
// told.
func TestSourceToken(t *testing.T) {
	d := corpus.Encoded{
		IDs: [][]int64{{9, 10}, {9, 10}}, Styles: []int{0, 1}, Asked: []int{1, 0},
		Masks: [][]bool{{true, false}, {true, false}},
	}
	for _, f := range everyCodes() {
		parity.OnTorch(t, func() error {
			m := freshOf(withCodes(tiny, f))
			defer m.Params.Free()
			states := func(i int, to []int) []float32 {
				return m.States(f.inputs(d, []int{i}, to), false).Floats()
			}
			if slices.Equal(states(0, d.Asked), states(1, d.Styles)) != !f.SourceToken {
				t.Errorf("%+v: the source's style is seen or not, the other way round", f)
			}
			if slices.Equal(states(0, d.Asked), states(0, d.Styles)) {
				t.Errorf("%+v: the style asked for is not seen", f)
			}
			return nil
		})
	}
}

// TestWordsAndCls: the head may see <s_cls>, which comes first, and the words' states, and nothing
// else.
func TestWordsAndCls(t *testing.T) {
	d := corpus.Encoded{
		IDs: [][]int64{{9, 10, 11}}, Styles: []int{1}, Asked: []int{0},
		Masks: [][]bool{{true, false, false}},
	}
	for _, f := range everyCodes() {
		if !f.ClsToken {
			continue
		}
		parity.OnTorch(t, func() error {
			c := withCodes(tiny, f)
			c.Layers = 0
			m := freshOf(c)
			defer m.Params.Free()
			states := m.enc.forward(f.inputs(d, []int{0}, d.Asked), false)
			cls := m.enc.withPositions(torch.FromInts([]int64{clsID}, 1, 1), false)
			want := append(cls.Floats(), f.words(states).Floats()...)
			if got := f.wordsAndCls(states).Floats(); len(got) != 4*c.Dim || !slices.Equal(got, want) {
				t.Errorf("%+v: %d numbers, want those of <s_cls> and of three words", f, len(got))
			}
			return nil
		})
	}
}

// TestConfigFile: a model's shape is written by the names of an experiment file, and read back.
func TestConfigFile(t *testing.T) {
	for _, c := range []Config{small, authors} {
		raw, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var read Config
		if err := json.Unmarshal(raw, &read); err != nil || read != c {
			t.Errorf("read %+v (%v), want %+v", read, err, c)
		}
		var fields map[string]any
		if err := json.Unmarshal(raw, &fields); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]any{
			"vocab": 23., "layers": 2., "heads": 3., "dim": 12., "ff": 20., "source_token": c.SourceToken,
			"cls_token": c.ClsToken, "shift_targets": c.ShiftTargets, "train_embeddings": c.TrainEmbeddings, "dropout": 0.,
		} {
			if fields[name] != want {
				t.Errorf("%s is written as %v, want %v", name, fields[name], want)
			}
		}
	}
}
