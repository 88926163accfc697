package runs

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// poll is how often a process that has nothing to do looks whether others have finished.
const poll = 100 * time.Millisecond

// claimed is a stage that is this process's to run.
type claimed struct {
	stage *plan.Stage
	claim *workspace.Claim
}

// next claims the first of the stages left that can be run, and takes it from them together with
// those that need a failed one and those that another process has run. Where there is none it waits
// a moment and returns nil.
func (r *runner) next(left *[]*plan.Stage) (*claimed, error) {
	before := len(r.missing)
	defer func() {
		if len(r.missing) < before {
			*left = slices.DeleteFunc(*left, func(s *plan.Stage) bool { return !r.missing[s] })
		}
	}()
	for _, s := range *left {
		if s.Needs(r.bad) {
			r.leave(s, r.failures.Skip)
			continue
		}
		if s.Needs(r.missing) {
			continue
		}
		if r.lacking(s) {
			r.leave(s, r.failures.Lack)
			continue
		}
		c, err := r.ws.Claim(s)
		if err != nil {
			return nil, err
		}
		switch {
		case c == nil: // another process runs it
		case r.elsewhere(s):
			c.Release()
			delete(r.missing, s)
		default:
			delete(r.missing, s)
			return &claimed{s, c}, nil
		}
	}
	if len(r.missing) == before {
		r.progress.wait(len(*left))
		time.Sleep(poll)
	}
	return nil, nil
}

// leave takes a stage from those to run that cannot be run here, and counts it.
func (r *runner) leave(s *plan.Stage, count func()) {
	r.bad[s] = true
	count()
	r.progress.skip()
	delete(r.missing, s)
}

// lacking says whether an input of a given stage is neither finished nor to be run here.
func (r *runner) lacking(s *plan.Stage) bool {
	if len(r.opts.given) == 0 {
		return false
	}
	for _, in := range s.Inputs {
		// A network file system may have to be asked anew what is in a folder.
		_, _ = os.ReadDir(filepath.Dir(r.ws.StageDir(in)))
		if r.ws.Check(in) != nil {
			return true
		}
	}
	return false
}

// elsewhere says whether another process has run a stage since this run began, and notes it where
// that failed.
func (r *runner) elsewhere(s *plan.Stage) bool {
	if r.again[s] {
		return false
	}
	if r.ws.Whole(s) == nil {
		r.progress.other()
		return true
	}
	if f := r.ws.Failure(s); f != nil && !f.End.Equal(r.tried[s]) {
		r.progress.skip()
		r.note(s, f.Error)
		return true
	}
	return false
}

// help starts the helpers. stop ends those still at work, as the end of this process does, however
// it comes: each has its standard input open for as long. A helper that dies leaves its stage to
// the others.
func (r *runner) help(ctx context.Context, helpers []*exec.Cmd) (stop func()) {
	over, end := context.WithCancel(ctx)
	var all sync.WaitGroup
	for _, h := range helpers {
		h.Stderr = r.progress
		h.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // not to be ended by the terminal besides
		alive, err := h.StdinPipe()
		if err == nil {
			err = h.Start()
		}
		if err != nil {
			r.progress.say(fmt.Sprintf("a worker could not be started: %v", err))
			continue
		}
		all.Go(func() {
			<-over.Done()
			_ = alive.Close()
			_ = h.Wait() // what it has to say is in the records of stages
		})
	}
	if n := len(helpers); n > 0 {
		r.progress.say(wording.Count(n+1, "worker") + " of " + wording.Count(r.threads, "thread"))
	}
	return func() {
		end()
		all.Wait()
	}
}
