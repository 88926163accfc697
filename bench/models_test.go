package main

import (
	"errors"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// TestGuided trains a small guided refill: with all off it writes what the plain transfer writes,
// guided other words, and only where a mask is or may be added.
func TestGuided(t *testing.T) {
	s := styled(60, reviews, 200, 1)
	c := tiny(paperSizes("guided", 0))
	c.Task = "transfer"
	outputs := func(m *benchModel, how *recipe.Guided) (ids [][]int64) {
		c.Guided = how
		with := newModel(c, s)
		for i, p := range with.Params {
			defer p.Free()
			path := t.TempDir() + "/weights.safetensors"
			if err := errors.Join(m.Params[i].Save(path), p.Load(path)); err != nil {
				t.Error(err)
			}
		}
		ids, err := with.Transfer(t.Context())
		if err != nil || len(ids) != len(s.IDs) {
			t.Errorf("%d outputs (%v)", len(ids), err)
		}
		return ids
	}
	err := torch.Run(func() error {
		torch.Seed(1)
		m := newModel(c, s)
		if err := m.Prepare(t.Context()); err != nil {
			return err
		}
		plain := outputs(&m, nil)
		off := outputs(&m, &recipe.Guided{Plausible: 1, Candidates: 1})
		guided := outputs(&m, &recipe.Guided{
			Gamma: 2, Plausible: .02, Price: .6, Fluency: 1.5, NoRepeats: true, Order: recipe.Confident, Candidates: 1,
			Restore: .9,
		})
		changed := 0
		for i, ids := range plain {
			if !slices.Equal(ids, off[i]) {
				t.Errorf("sentence %d: %v with all off, %v plain", i, off[i], ids)
			}
			for k, on := range s.Masks[i] {
				if guided[i][k] != ids[k] {
					changed++
					if !on {
						t.Errorf("sentence %d, word %d was not masked, and is another", i, k)
					}
				}
			}
		}
		if changed == 0 {
			t.Error("help changed nothing")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
