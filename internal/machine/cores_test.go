package machine

import (
	"sync/atomic"
	"testing"
)

// TestEach: every number is given once, of no work and of more than there are cores.
func TestEach(t *testing.T) {
	for _, n := range []int{0, 1, 1000} {
		calls := make([]atomic.Int32, n)
		Each(n, func(i int) { calls[i].Add(1) })
		for i := range calls {
			if got := calls[i].Load(); got != 1 {
				t.Errorf("of %d, %d was given %d times", n, i, got)
			}
		}
	}
}
