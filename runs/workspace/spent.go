package workspace

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/atomicfile"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// spentFile lies among a stage's checkpoints and holds the seconds that the tries which left them
// took.
const spentFile = "seconds"

// Spent returns the seconds of earlier tries that this one goes on from, 0 where there are none.
func (w *Workspace) Spent(s *plan.Stage) float64 {
	text, err := os.ReadFile(filepath.Join(w.ScratchDir(s), spentFile))
	if err != nil {
		return 0
	}
	seconds, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	if err != nil {
		return 0
	}
	return seconds
}

// KeepSpent notes how long a stage that did not end has taken so far, where it left a checkpoint to
// go on from. The figure is for people and estimates only, so that a failure to write it is no
// error.
func (w *Workspace) KeepSpent(s *plan.Stage, seconds float64) {
	dir := w.ScratchDir(s)
	if entries, err := os.ReadDir(dir); err != nil || len(entries) == 0 {
		return
	}
	_ = atomicfile.Write(filepath.Join(dir, spentFile), func(out io.Writer) error {
		_, err := fmt.Fprintf(out, "%.3f\n", seconds)
		return err
	})
}
