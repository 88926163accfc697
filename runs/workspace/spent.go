package workspace

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// spentFile lies among a stage's checkpoints and holds the seconds that the tries which left them
// took.
const spentFile = "seconds"

// left says whether a stage left something to go on from, by the names in its scratch folder.
func left(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return name != stage.EpochsFile })
}

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
	var names []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !left(names) {
		return
	}
	_ = files.Write(filepath.Join(dir, spentFile), func(out io.Writer) error {
		_, err := fmt.Fprintf(out, "%.3f\n", seconds)
		return err
	})
}
