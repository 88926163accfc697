package torch

import (
	"cmp"
	"errors"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
)

func TestScopesFreeEverything(t *testing.T) {
	before := liveNow(t)
	onTorch(t, func() error {
		start := LiveHandles()
		for range 3 {
			err := Scoped(func() error {
				x := Param(randn(4, 3)) // owned, so it outlives the scope unless it is freed
				defer x.Free()
				y := x.MatMul(x.Transpose(0, 1)).Softmax(1)
				_ = NoGrad(func() error { _ = y.Add(y).Floats(); return nil })
				states, last := LSTM(randn(2, 5, 3), []*Tensor{randn(8, 3), randn(8, 2), randn(8), randn(8)})
				states.Sum().Add(last.Sum()).Add(y.Mean()).Backward()
				_ = x.Grad()
				_ = Gradient(x.Mul(x), x)
				_ = SelfAttention(randn(1, 3, 12), 2, true, 0)
				_ = x.Linear(randn(2, 3), nil)
				return nil
			})
			if err != nil {
				return err
			}
			if LiveHandles() != start {
				t.Errorf("%d handles alive after the scope, %d before", LiveHandles(), start)
			}
		}
		return nil
	})
	if now := liveNow(t); now != before {
		t.Errorf("%d handles alive after Run, %d before", now, before)
	}
}

func TestScopesFreeAfterErrorsAndPanics(t *testing.T) {
	before := liveNow(t)
	own := errors.New("own")
	err := Run(func() error {
		_ = Ones(2).Add(Ones(2))
		return Scoped(func() error { _ = Ones(3); return own })
	})
	if !errors.Is(err, own) {
		t.Errorf("error %v, want the function's own", err)
	}
	err = Run(func() error {
		return Scoped(func() error { _ = Ones(2, 3).MatMul(Ones(2, 3)); return nil })
	})
	wantOpError(t, err, "matmul", "")
	func() {
		defer func() {
			if p := recover(); p != "a bug" {
				t.Errorf("recovered %v, want the panic of the function", p)
			}
		}()
		_ = Run(func() error {
			return NoGrad(func() error { _ = Ones(3); panic("a bug") })
		})
	}()
	if now := liveNow(t); now != before {
		t.Errorf("%d handles alive after failures, %d before", now, before)
	}
	onTorch(t, func() error {
		if current.parent != nil {
			t.Error("a scope of a failed function is still open")
		}
		p := Param(Ones(1)).Own()
		defer p.Free()
		p.Sum().Backward() // fails if the NoGrad that panicked is still in force
		return nil
	})
}

func TestKeepAndOwn(t *testing.T) {
	before := liveNow(t)
	var kept, owned *Tensor
	onTorch(t, func() error {
		err := Scoped(func() error {
			var twice *Tensor
			_ = Scoped(func() error {
				kept, owned = Ones(2).Keep(), Ones(3).Own()
				twice = Ones(4)
				// The variable twice holds a tensor of the outer scope, so Keep must leave the
				// tensor there.
				return Scoped(func() error { twice.Keep(); return nil })
			})
			if twice.h != nil {
				t.Error("Keep inside a nested scope gave a tensor to another one than the innermost's parent")
			}
			if got := kept.Floats(); len(got) != 2 {
				t.Errorf("the kept tensor holds %v", got)
			}
			// The variable owned holds a tensor without a scope, so Keep must change nothing.
			return Scoped(func() error { owned.Keep(); return nil })
		})
		if kept.h != nil {
			t.Error("Keep moved a tensor further than one scope")
		}
		return err
	})
	if now := liveNow(t); now != before+1 {
		t.Errorf("%d handles alive, want %d: the owned one", now, before+1)
	}
	onTorch(t, func() error {
		if got := owned.Floats(); len(got) != 3 || got[2] != 1 {
			t.Errorf("the owned tensor holds %v", got)
		}
		owned.Free()
		owned.Free() // a second Free has no effect
		(*Tensor)(nil).Free()
		return nil
	})
	if now := liveNow(t); now != before {
		t.Errorf("%d handles alive after Free, want %d", now, before)
	}
}

func TestUseAfterScope(t *testing.T) {
	var x *Tensor
	onTorch(t, func() error { x = Ones(2); return nil })
	ok := func() *Tensor { return Ones(2) }
	for name, fn := range map[string]func(){
		"add": func() { x.Add(ok()) }, "second operand": func() { ok().Add(x) }, "floats": func() { x.Floats() },
		"shape": func() { x.Shape() },
		"item":  func() { x.Item() }, "backward": func() { x.Backward() }, "grad": func() { x.Grad() },
		"cat": func() { Cat(0, ok(), x) },
		"set": func() { ok().Set(x) }, "param": func() { Param(x) },
		"attention": func() { SelfAttention(x, 1, false, 0) },
		"zero grad": func() { ZeroGrad([]*Tensor{x}) }, "linear": func() { ok().Linear(x, nil) },
		"nil":  func() { ok().Add(nil) },
		"adam": func() { AdamStep([]*Tensor{x}, []*Tensor{x}, []*Tensor{x}, 1, .9, .9, 1e-8, 1, 0) },
	} {
		var e *OpError
		if err := Run(func() error { fn(); return nil }); !errors.As(err, &e) || e.Text != "a tensor is used after "+
			"its scope was closed" {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestRunNestsAndSerialises(t *testing.T) {
	onTorch(t, func() error {
		outer := Ones(2)
		return Run(func() error { // on the torch thread, Run only opens a scope
			if got := outer.Add(Ones(2)).Floats(); got[0] != 2 {
				t.Errorf("1+1 = %v", got[0])
			}
			return nil
		})
	})
	// These variables have no lock, because Run must admit only one function at a time. If it
	// admits two, the race detector reports it, too.
	inside, most := 0, 0
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				_ = Run(func() error {
					inside++
					most = max(most, inside)
					_ = randn(10).Sum().Item()
					inside--
					return nil
				})
			}
		})
	}
	wg.Wait()
	if most != 1 {
		t.Errorf("%d functions ran at once", most)
	}
}

// TestRunAfterGoexit ends the goroutine inside Run, as FailNow does in a test. It checks that the
// next Run does not block for ever.
func TestRunAfterGoexit(t *testing.T) {
	if err := Run(func() error { runtime.Goexit(); return nil }); err != nil {
		t.Errorf("error %v", err)
	}
	err := Run(func() error {
		if got := Ones(2).Sum().Item(); got != 2 {
			t.Errorf("1+1 = %v on the new thread", got)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestShapesKept checks that the first use of torch limits oneDNN's cache by an environment
// variable, and that a limit set by the user is kept.
func TestShapesKept(t *testing.T) {
	if err := Run(func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	const name = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"
	if got := os.Getenv(name); got != cmp.Or(givenShapes, "64") {
		t.Errorf("%s is %q, and was %q", name, got, givenShapes)
	}
}

var givenShapes = os.Getenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY")

// TestWithGrad checks that a derivative can be computed inside NoGrad, and that gradients are off
// again afterwards, even after a failure.
func TestWithGrad(t *testing.T) {
	err := Run(func() error {
		return NoGrad(func() error {
			x := FromFloats([]float32{2, 3}, 2)
			err := WithGrad(func() error {
				leaf := x.Leaf()
				got := Gradient(leaf.Mul(leaf), leaf).Floats()
				if !slices.Equal(got, []float32{4, 6}) {
					t.Errorf("gradient of the square at 2, 3: %v", got)
				}
				return nil
			})
			if err != nil {
				return err
			}
			if err := WithGrad(func() error { x.MatMul(Ones(3, 3)); return nil }); err == nil {
				t.Error("a product of shapes that do not fit is no error")
			}
			if was := setGrad(false); was {
				t.Error("gradients stay on")
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}
