// Package cores shares independent work out among the processor's cores.
package machine

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls f with each number below n, as many at once as there are cores, and returns when all
// calls have.
func Each(n int, f func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	workers.Wait()
}
