package torch

import (
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/smlm-exp/smlm-exp/internal/kernels"
)

// scope owns tensors and frees them when it closes. A new tensor belongs to the scope that was
// opened last.
type scope struct {
	owned  []*Tensor
	parent *scope
}

// current is the innermost open scope. Only the torch thread uses it.
var current *scope

// live counts the handles that are not freed yet, for leak tests.
var live int

// LiveHandles returns the number of tensor handles that are not freed yet. Call it on the torch
// thread.
func LiveHandles() int { return live }

// Scoped opens a scope, calls fn, and frees the tensors that were created in the scope, except
// those that fn moved out of it. If an operation inside fn fails, Scoped returns its *OpError.
func Scoped(fn func() error) (err error) {
	s := &scope{parent: current}
	current = s
	defer func() {
		for _, t := range s.owned {
			if t.scope == s {
				t.Free()
			}
		}
		current = s.parent
	}()
	defer recovered(&err)
	return fn()
}

// NoGrad does the same as Scoped, but turns off the recording of gradients in fn. It may be nested.
func NoGrad(fn func() error) error {
	was := setGrad(false)
	defer setGrad(was)
	return Scoped(fn)
}

// adopt turns a handle into a tensor. The innermost scope owns the tensor.
func adopt(h handle) *Tensor {
	t := &Tensor{h: h, scope: current}
	live++
	if current == nil {
		t.Free()
		panic(&OpError{Op: "scope", Text: "a tensor was made outside Scoped"})
	}
	current.owned = append(current.owned, t)
	return t
}

// Keep moves t from the innermost scope to the enclosing one, so that t lives longer, and returns
// t. A tensor that belongs to another scope stays there.
func (t *Tensor) Keep() *Tensor {
	if t.scope != current {
		return t
	}
	if current == nil || current.parent == nil {
		return t.Own()
	}
	t.scope = current.parent
	current.parent.owned = append(current.parent.owned, t)
	return t
}

// Own takes t out of its scope and returns t, which then lives until Free is called. Parameters and
// optimizer moments are owned.
func (t *Tensor) Own() *Tensor {
	t.scope = nil
	return t
}

var (
	startOnce sync.Once
	work      = make(chan func())
	torchTID  atomic.Int64
)

// serve runs functions on the torch thread, the only thread that computes with tensors. If a
// function ends its goroutine, as a test's FailNow does, it also ends the thread. Then serve starts
// again on a new thread, without an open scope.
func serve() {
	runtime.LockOSThread()
	torchTID.Store(int64(unix.Gettid()))
	current = nil
	defer func() { go serve() }()
	for fn := range work {
		fn()
	}
}

// Run calls fn on the torch thread, the only thread that computes with tensors, and waits until fn
// returns. It frees the tensors that fn creates, as Scoped does. If the caller is already on the
// torch thread, Run only calls Scoped.
func Run(fn func() error) error {
	startOnce.Do(func() {
		kernels.KeepHeap()
		kernels.KeepFewShapes()
		go serve()
	})
	if int64(unix.Gettid()) == torchTID.Load() {
		return Scoped(fn)
	}
	var err error
	var bug any
	done := make(chan struct{})
	work <- func() {
		defer close(done)
		defer func() { bug = recover() }()
		err = Scoped(fn)
	}
	<-done
	if bug != nil {
		panic(bug)
	}
	return err
}

// WithGrad does the same as Scoped, but turns on the recording of gradients in fn, even inside
// NoGrad. It may be nested.
func WithGrad(fn func() error) error {
	was := setGrad(true)
	defer setGrad(was)
	return Scoped(fn)
}
