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

// spentFile is a file in the folder of a stage's checkpoints. It holds the total time, in seconds,
// of the tries that wrote the checkpoints.
const spentFile = "seconds"

// The function left reports whether a scratch folder with these files has a checkpoint.
func left(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return name != stage.EpochsFile })
}

// Spent returns the total time, in seconds, of the earlier tries of a stage. It returns 0 if there
// is no checkpoint to resume from.
func (w *Workspace) Spent(s *plan.Stage) float64 {
	text, err := files.ReadSmall(filepath.Join(w.ScratchDir(s), spentFile))
	if err != nil {
		return 0
	}
	seconds, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	if err != nil {
		return 0
	}
	return seconds
}

// KeepSpent records how long an unfinished stage has taken so far, if it left a checkpoint. The
// number is for people only, so a failure to write it is not an error.
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
