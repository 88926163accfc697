package runs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// TestClockGoesBack: the clock was set back, so the files of an earlier run have times in the
// future. The next run works as usual: it tries failed stages again, does not repeat finished ones,
// and continues from checkpoints.
func TestClockGoesBack(t *testing.T) {
	l := newLab(t)
	failing := true
	l.funcs[stages.SMLM] = func(ctx context.Context, job *stage.Job) error {
		if failing {
			testkit.WriteFile(t, filepath.Join(job.Scratch, "checkpoint"), "step 7")
			return context.DeadlineExceeded
		}
		if _, err := os.Stat(filepath.Join(job.Scratch, "checkpoint")); err != nil {
			return fmt.Errorf("the checkpoint is gone: %w", err)
		}
		return l.work(ctx, job)
	}
	testkit.WantError(t, l.run(t.Context(), Options{}), userr.StageFailed, "stage smlm ")
	before := slices.Clone(l.ran)
	l.inTime(30 * 365 * 24 * time.Hour)
	failing = false
	l.mustRun(Options{})
	if n := l.count(stages.SMLM); n == 0 {
		t.Error("a stage whose failure is yet to come was not tried again")
	}
	for _, title := range before {
		if slices.Contains(l.ran, title) {
			t.Errorf("%s ran again", title)
		}
	}
	l.inTime(30 * 365 * 24 * time.Hour)
	if l.mustRun(Options{}); len(l.ran) > 0 {
		t.Errorf("ran again: %v", l.ran)
	}
}

// inTime sets the times of all files in the workspace to now plus the given duration. It also
// changes the times in the records of failed attempts, which is possible because these records have
// no checksum.
func (l *lab) inTime(by time.Duration) {
	l.t.Helper()
	then := time.Now().Add(by)
	for _, name := range l.onDisk("") {
		path := l.ws.Path(name)
		if filepath.Dir(name) == "failed" && filepath.Ext(name) == ".json" {
			r, err := stage.ReadRecord(path)
			if err == nil {
				r.Start, r.End = then, then
				err = stage.WriteRecord(path, r)
			}
			if err != nil {
				l.t.Fatal(err)
			}
		}
		if err := os.Chtimes(path, then, then); err != nil {
			l.t.Fatal(err)
		}
	}
}

// TestStaleLocks: if a run on another machine ended in a power failure, its leftovers do not
// disturb later runs. The leftovers are locks that nobody holds, status notes and temporary files.
func TestStaleLocks(t *testing.T) {
	c := newCrew(t)
	stage := c.stageWith(stages.Vocab, "")
	for name, text := range map[string]string{
		"version": "3\n", "lock": `{"pid":1,"host":"elsewhere","since":"2099-01-02T03:04:05Z"}`,
		"claims/vocab-" + stage.ID: "", "running/elsewhere-1.json": `{"pid":1,"host":"elsewhere"}`,
		"running/elsewhere-2.json": `{"pid`, "tmp/vocab-1/vocab.txt": "half",
	} {
		testkit.WriteFile(t, c.ws.Path(name), text)
	}
	for i, err := range c.together(2, Options{}) {
		if err != nil {
			t.Errorf("run %d: %v", i, err)
		}
	}
	c.whole("tmp", "claims", "running")
}

// The method whole checks that every stage is finished and undamaged, and that the named folders
// contain no files.
func (c *crew) whole(empty ...string) {
	c.t.Helper()
	ws, err := workspace.Open(c.ws.Dir)
	if err != nil {
		c.t.Fatal(err)
	}
	if damaged := ws.Verify(c.plan.Stages...); len(damaged) > 0 {
		c.t.Error(damaged[0])
	}
	for _, s := range c.plan.Stages {
		if !ws.Done(s) {
			c.t.Errorf("%s is not finished", s.Title())
		}
	}
	for _, dir := range empty {
		if left := c.onDisk(dir); len(left) > 0 {
			c.t.Errorf("left in %s: %v", dir, left)
		}
	}
}

// TestFullDiskTogether: if several runs fill up the disk, each ends with an error that says so, and
// nothing half-written is left. When there is room again, the runs finish.
func TestFullDiskTogether(t *testing.T) {
	c := newCrew(t, "seeds=[1,2,3]")
	c.mounted("size=2m")
	work, size := c.work, 4<<20
	c.work = func(ctx context.Context, job *stage.Job) error {
		if job.Name == stages.DivLSTM {
			if err := os.WriteFile(filepath.Join(job.Dir, "model"), make([]byte, size), 0o600); err != nil {
				return fmt.Errorf("writing the model: %w", err)
			}
		}
		return work(ctx, job)
	}
	for _, err := range c.together(3, Options{}) {
		testkit.WantError(t, err, userr.StageFailed, "stage ")
		if !strings.Contains(err.Error(), "the disk is full: free some space") &&
			!strings.Contains(err.Error(), "no space left") {
			t.Errorf("it does not say why: %v", err)
		}
	}
	if left := c.onDisk("tmp"); len(left) > 0 {
		t.Errorf("half-written: %v", left)
	}
	size = 10
	for i, err := range c.together(3, Options{}) {
		if err != nil {
			t.Errorf("run %d, with room: %v", i, err)
		}
	}
	c.whole("tmp", "claims", "failed", "scratch")
}

// TestBegunTogether: several runs can create the same workspace at the same moment. No run mistakes
// the new workspace for a folder with other contents.
func TestBegunTogether(t *testing.T) {
	for i := range 300 {
		dir := filepath.Join(t.TempDir(), fmt.Sprint(i))
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				ws, err := workspace.Open(dir)
				if err == nil {
					err = ws.Create()
				}
				if err == nil {
					err = os.MkdirAll(ws.Path("stages"), 0o755)
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
}
