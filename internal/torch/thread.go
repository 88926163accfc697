package torch

import (
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/smlm-exp/smlm-exp/internal/kernels"
)

var (
	startOnce sync.Once
	work      = make(chan func())
	torchTID  atomic.Int64
)

// serve is the torch thread. A function that ends its goroutine, as a test's FailNow does, takes
// the thread with it; another one then serves, with no scope open.
func serve() {
	runtime.LockOSThread()
	torchTID.Store(int64(unix.Gettid()))
	current = nil
	defer func() { go serve() }()
	for fn := range work {
		fn()
	}
}

// Run calls fn on the thread that owns torch, inside a scope, and waits. Called from that thread it
// just opens the scope.
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
