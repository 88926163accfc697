package workspace

import (
	"fmt"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// Failures are the stages that a run could not finish, as its error tells them.
type Failures struct {
	lines   []string
	skipped int
	absent  int
}

// Add counts a stage as failed with an error's text.
func (f *Failures) Add(ws *Workspace, s *plan.Stage, text string) {
	f.lines = append(f.lines, fmt.Sprintf("stage %s failed: %s (its record is %s)",
		s.Title(), wording.FirstLine(text), ws.FailedPath(s, ".json")))
}

// Skip counts a stage that needs a failed one.
func (f *Failures) Skip() { f.skipped++ }

// Lack counts a stage that needs one which was to be run elsewhere and is not finished.
func (f *Failures) Lack() { f.absent++ }

// Say adds a line.
func (f *Failures) Say(line string) { f.lines = append(f.lines, line) }

// Err is nil where all stages were finished, else an error of kind userr.StageFailed.
func (f *Failures) Err() error {
	lines := f.lines
	need := map[bool]string{true: "needs", false: "need"}
	if f.skipped > 0 {
		lines = append(lines, "skipped: "+wording.Count(f.skipped, "stage")+" that "+need[f.skipped == 1]+" a failed one")
	}
	if f.absent > 0 {
		lines = append(lines, "left out: "+wording.Count(f.absent, "stage")+" that "+need[f.absent == 1]+
			" one that is not finished")
	}
	if len(lines) == 0 {
		return nil
	}
	return &userr.Error{Code: userr.StageFailed, Text: strings.Join(lines, "\n")}
}
