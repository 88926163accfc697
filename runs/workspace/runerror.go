package workspace

import (
	"fmt"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// Failures collects the stages that a run could not finish, for the error that the run returns.
type Failures struct {
	lines   []string
	skipped int
}

// Add adds a failed stage with the text of its error.
func (f *Failures) Add(ws *Workspace, s *plan.Stage, text string) {
	f.lines = append(f.lines, fmt.Sprintf("stage %s failed: %s (its record is %s)",
		s.Title(), wording.FirstLine(text), ws.FailedPath(s, ".json")))
}

// Skip counts a stage that was skipped because it needs a failed one.
func (f *Failures) Skip() { f.skipped++ }

// Say adds a line to the error.
func (f *Failures) Say(line string) { f.lines = append(f.lines, line) }

// Err returns nil if nothing was added, else an error of kind userr.StageFailed.
func (f *Failures) Err() error {
	lines := f.lines
	if f.skipped > 0 {
		need := map[bool]string{true: "needs", false: "need"}[f.skipped == 1]
		lines = append(lines, "skipped: "+wording.Count(f.skipped, "stage")+" that "+need+" a failed one")
	}
	if len(lines) == 0 {
		return nil
	}
	return &userr.Error{Code: userr.StageFailed, Text: strings.Join(lines, "\n")}
}
