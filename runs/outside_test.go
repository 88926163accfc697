package runs

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// TestOutsideFilesChangeInMidRun: if a stage reads a file outside the workspace, and the file
// changes while the stage runs, the results of the stage are not kept. The stage would be stored
// under an identity that was computed from the old file.
func TestOutsideFilesChangeInMidRun(t *testing.T) {
	dir := t.TempDir()
	testkit.WriteData(t, filepath.Join(dir, "data"), 3)
	for _, name := range []string{"out/A.0.txt", "out/A.1.txt", "refs/B.0.txt", "refs/B.1.txt"} {
		testkit.WriteFile(t, filepath.Join(dir, name), "a b\na b\na b\n")
	}
	const keys = "outputs = \"out\"\nreferences = \"refs\"\n"
	text := strings.Replace(testkit.SmallStudy, "dir = \"data\"\n", "dir = \"data\"\n"+keys, 1)
	for file, of := range map[string]stage.Name{
		"data/train.0.txt": stages.Prepare, "data/reference.1.txt": stages.TestSet, "out/A.1.txt": stages.Published,
		"refs/B.0.txt": stages.Score,
	} {
		path := filepath.Join(dir, file)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		l := newLab(t)
		l.plan = newPlan(t, loadIn(t, dir, text))
		edit := func(ctx context.Context, job *stage.Job) error {
			testkit.WriteFile(t, path, string(before)+"one more\n")
			return l.work(ctx, job)
		}
		l.funcs[of] = edit
		err = l.run(t.Context(), Options{})
		if err == nil || !strings.Contains(l.out.String()+err.Error(), path) {
			t.Errorf("%s changed: %v\n%s", file, err, &l.out)
		}
		for _, s := range l.plan.Stages {
			if s.Name == of && l.ws.Done(s) && len(s.Sources) > 0 {
				t.Errorf("%s changed and %s of it is kept", file, s.Short())
			}
		}
		testkit.WriteFile(t, path, string(before))
		l.funcs[of] = l.work
		l.mustRun(Options{})
	}
}
