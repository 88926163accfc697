package serve

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// errBug is a panic in a request, which is nobody's business but that request's.
var errBug = errors.New("a bug in smlm-exp: this request could not be answered; others can")

// bugs writes down what panicked and where, for whoever is asked to mend it.
type bugs struct{ log io.Writer }

// caught returns errBug for a panic of do, after a line about it and its trace.
func (b bugs) caught(what string, do func() error) (err error) {
	defer func() {
		if bug := recover(); bug != nil {
			fmt.Fprintf(wording.NewShown(b.log), "smlm-exp: a bug in %s: %v\n%s", wording.VisibleLine(what), bug, debug.Stack())
			err = errBug
		}
	}()
	return do()
}
