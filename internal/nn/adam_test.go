package nn

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"pgregory.net/rapid"
)

// TestWarmup checks that the learning rate grows linearly to LR in Warmup steps and is scaled by
// Share. The gradient is the same in each step, so Adam moves the weight by exactly the learning
// rate.
func TestWarmup(t *testing.T) {
	onTorch(t, func() error {
		p := NewParams()
		defer p.Free()
		w := p.Add("w", torch.Zeros(1))
		a := NewAdam(p, recipe.Training{LR: .1, Beta1: .5, Warmup: 4})
		defer a.Free()
		for i, want := range []float64{.025, .05, .0375, .05, .1, .05, .1} {
			a.Share = []float64{1, 1, .5, .5, 1, .5, 1}[i]
			before := w.Item()
			w.Scale(7).Sum().Backward()
			if norm, err := a.Step(); err != nil || norm != 7 {
				t.Errorf("step %d: norm %v, error %v", i+1, norm, err)
			}
			if got := before - w.Item(); math.Abs(got-want) > 1e-6 {
				t.Errorf("step %d moves by %v, want %v", i+1, got, want)
			}
			if w.Grad() != nil {
				t.Error("Step left the gradient")
			}
		}
		return nil
	})
}

func TestSnapshotAndRestore(t *testing.T) {
	onTorch(t, func() error {
		m := newToy(1)
		defer m.free()
		before := m.bits()
		live := torch.LiveHandles()
		copies := m.params.Snapshot()
		if now := torch.LiveHandles(); now != live+len(copies) {
			t.Errorf("Snapshot made %d handles for %d parameters", now-live, len(copies))
		}
		for _, w := range m.params.All() {
			w.Set(torch.Ones(w.Shape()...))
		}
		m.params.Restore(copies)
		if !reflect.DeepEqual(m.bits(), before) {
			t.Error("Restore gives other weights than Snapshot took")
		}
		for _, c := range copies {
			c.Free()
		}
		if got := m.params.FirstBad(); got != "" {
			t.Errorf("first bad of good ones: %q", got)
		}
		m.params.All()[2].Set(torch.Ones(m.params.All()[2].Shape()...).Scale(math.Inf(1)))
		if got := m.params.FirstBad(); got != m.params.Names()[2] {
			t.Errorf("first bad %q, want %q", got, m.params.Names()[2])
		}
		return nil
	})
}

// TestForEach checks that every sentence is visited once, in batches of equal length, shortest
// first, with gradients disabled.
func TestForEach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rows [][]int64
		for _, n := range rapid.SliceOfN(rapid.IntRange(1, 6), 0, 30).Draw(t, "lengths") {
			rows = append(rows, make([]int64, n))
		}
		var seen []int
		longest := 0
		err := torch.Run(func() error {
			return ForEach(context.Background(), rows, func(batch []int) error {
				for _, i := range batch {
					if len(rows[i]) != len(rows[batch[0]]) {
						t.Errorf("a batch of unequal lengths")
					}
				}
				if n := len(rows[batch[0]]); n < longest {
					t.Errorf("length %d after %d", n, longest)
				} else {
					longest = n
				}
				seen = append(seen, batch...)
				return nil
			})
		})
		if err != nil {
			t.Error(err)
		}
		slices.Sort(seen)
		for i := range rows {
			if i >= len(seen) || seen[i] != i {
				t.Fatalf("sentences seen: %v", seen)
			}
		}
	})
	ctx, cancel := context.WithCancel(context.Background())
	onTorch(t, func() error {
		calls := 0
		err := ForEach(ctx, [][]int64{{1}, {1, 2}}, func([]int) error { calls++; cancel(); return nil })
		if calls != 1 || !errors.Is(err, context.Canceled) {
			t.Errorf("%d calls, error %v, after cancelling in the first", calls, err)
		}
		return nil
	})
}
