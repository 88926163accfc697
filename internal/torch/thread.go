package torch

import (
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

var (
	startOnce sync.Once
	work      chan func()
	torchTID  int
)

func start() {
	work = make(chan func())
	ready := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		torchTID = unix.Gettid()
		close(ready)
		for fn := range work {
			fn()
		}
	}()
	<-ready
}

// Run calls fn on the thread that owns torch, inside a scope, and waits. Called from that thread it just opens the scope.
func Run(fn func() error) error {
	startOnce.Do(start)
	if unix.Gettid() == torchTID {
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
