package runs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

func sha(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// TestLockIsOnesOwn: a process that repairs or forces stages locks the workspace exclusively.
// Ordinary runs share the lock.
func TestLockIsOnesOwn(t *testing.T) {
	l := newLab(t)
	second, err := workspace.Open(l.ws.Dir)
	if err != nil {
		t.Fatal(err)
	}
	host, _ := os.Hostname()
	l.funcs[stages.Vocab] = func(ctx context.Context, job *stage.Job) error {
		testkit.WantError(t, second.Lock(), userr.BadInput,
			fmt.Sprintf("is in use by process %d on %s since 20", os.Getpid(), host), "wait for it to end")
		testkit.WantError(t, Run(ctx, l.plan, second, l.funcs.Run, Options{Force: []string{"vocab"}, Out: &l.out}),
			userr.BadInput, "is in use by process")
		if err := second.Join(); err != nil {
			t.Errorf("beside a run: %v", err)
		}
		second.Unlock()
		return l.work(ctx, job)
	}
	l.mustRun(Options{})
	if err := second.Lock(); err != nil {
		t.Errorf("after the first run: %v", err)
	}
	testkit.WantError(t, l.ws.Join(), userr.BadInput, "is in use by process")
	second.Unlock()
}

// TestLockIsNoLink checks that a workspace whose lock file is a link is refused. Otherwise a
// workspace made by somebody else could overwrite a file of the user.
func TestLockIsNoLink(t *testing.T) {
	l := newLab(t)
	l.mustRun(Options{})
	mine := filepath.Join(t.TempDir(), "mine")
	testkit.WriteFile(t, mine, "text of mine")
	lock := l.ws.Path("lock")
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(mine, lock); err != nil {
		t.Fatal(err)
	}
	err := l.run(t.Context(), Options{Force: []string{"vocab"}})
	testkit.WantError(t, err, userr.BadInput, lock, "is a link", "remove it")
	if text, err := os.ReadFile(mine); err != nil || string(text) != "text of mine" {
		t.Errorf("the file is now %q, %v", text, err)
	}
}

// TestFoldersAreNoLinks: nothing is written through a link that leads out of the workspace. A link
// that stays inside it is allowed, and the workspace itself may be a link.
func TestFoldersAreNoLinks(t *testing.T) {
	l := newLab(t)
	l.mustRun(Options{})
	for _, name := range []string{"tables", "tables/e", "scratch/smlm/x", "reports", "tmp", "tensorboard"} {
		mine, at := t.TempDir(), l.ws.Path(name)
		aside := filepath.Join(t.TempDir(), "aside")
		had := os.Rename(at, aside) == nil
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(mine, at); err != nil {
			t.Fatal(err)
		}
		testkit.WantError(t, l.run(t.Context(), Options{Force: []string{"vocab"}}), userr.BadInput, at, "leads out of the workspace")
		testkit.WantError(t, l.ws.Create(), userr.BadInput, at, "put a folder in its place")
		if entries, err := os.ReadDir(mine); err != nil || len(entries) > 0 {
			t.Errorf("%s: %v lie elsewhere, %v", name, entries, err)
		}
		if err := os.Remove(at); err != nil {
			t.Fatal(err)
		}
		if had {
			if err := os.Rename(aside, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Rename(l.ws.Path("stages"), l.ws.Path("within")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("within", l.ws.Path("stages")); err != nil {
		t.Fatal(err)
	}
	linked := filepath.Join(t.TempDir(), "linked")
	if err := os.Symlink(l.ws.Dir, linked); err != nil {
		t.Fatal(err)
	}
	other, err := workspace.Open(linked)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Create(); err != nil {
		t.Error(err)
	}
}

func TestOpenCreatesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "w")
	if _, err := workspace.Open(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder is there")
	}
}

func TestForeignWorkspaces(t *testing.T) {
	newer := t.TempDir()
	testkit.WriteFile(t, filepath.Join(newer, "version"), "4\n")
	_, err := workspace.Open(newer)
	testkit.WantError(
		t, err, userr.BadInput, "has version 4, but this program knows version 3: use a newer smlm-exp",
	)

	older := t.TempDir()
	testkit.WriteFile(t, filepath.Join(older, "version"), "1\n")
	_, err = workspace.Open(older)
	testkit.WantError(t, err, userr.BadInput, "has version 1, but this program knows version 3: name another workspace, "+
		"in which everything runs again, or use the smlm-exp that made this one")

	odd := t.TempDir()
	testkit.WriteFile(t, filepath.Join(odd, "version"), "one\n")
	_, err = workspace.Open(odd)
	testkit.WantError(t, err, userr.BadInput, "does not contain the number of a workspace version")

	lost := t.TempDir()
	testkit.WriteFile(t, filepath.Join(lost, "stages", "vocab", "record"), "x")
	_, err = workspace.Open(lost)
	testkit.WantError(t, err, userr.BadInput, `has stages but no file "version"`)

	home := t.TempDir()
	testkit.WriteFile(t, filepath.Join(home, "thesis.tex"), "x")
	_, err = workspace.Open(home)
	testkit.WantError(t, err, userr.BadInput, "is not empty and is not a workspace")

	l := newLab(t)
	l.ws.Dir = home
	testkit.WantError(t, l.run(t.Context(), Options{}), userr.BadInput, "is not empty and is not a workspace")
	if entries, _ := os.ReadDir(home); len(entries) != 1 {
		t.Errorf("something was written: %v", entries)
	}
}

// TestWorkspaceThatCannotBe checks that a workspace cannot be made if a file is in the way, or if
// its path is a link to nothing. The test does not take away permissions, because missing
// permissions do not stop the user root, who may run the test.
func TestWorkspaceThatCannotBe(t *testing.T) {
	l := newLab(t)
	file := filepath.Join(t.TempDir(), "file")
	testkit.WriteFile(t, file, "x")
	l.ws.Dir = filepath.Join(file, "workspace")
	testkit.WantError(
		t, l.run(t.Context(), Options{}), userr.BadInput, l.ws.Dir, "there is a file where a folder is needed",
	)
	l.ws.Dir = filepath.Join(t.TempDir(), "workspace")
	if err := os.Symlink("unmounted", l.ws.Dir); err != nil {
		t.Fatal(err)
	}
	testkit.WantError(
		t, l.run(t.Context(), Options{}), userr.BadInput, l.ws.Dir,
		`is a link to "unmounted", which does not exist: mount`,
	)
	if len(l.ran) > 0 {
		t.Errorf("ran %v", l.ran)
	}
}

func TestUnwritableWorkspace(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	l := newLab(t)
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	l.ws.Dir = filepath.Join(dir, "workspace")
	testkit.WantError(t, l.run(t.Context(), Options{}), userr.BadInput, l.ws.Dir, "you may not write there")
}

// mounted mounts a small file system, opens a workspace on it for the lab, and returns the mount
// point. It skips the test if mounting is not allowed.
func (l *lab) mounted(options string) string {
	l.t.Helper()
	dir := l.t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		l.t.Skipf("mounting a small disk is not allowed here: %v", err)
	}
	l.t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
	ws, err := workspace.Open(filepath.Join(dir, "workspace"))
	if err != nil {
		l.t.Fatal(err)
	}
	l.ws = ws
	return dir
}

func TestReadOnlyWorkspace(t *testing.T) {
	l := newLab(t)
	dir := l.mounted("size=1m")
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, "size=1m"); err != nil {
		t.Skip("remounting read-only is not allowed here:", err)
	}
	testkit.WantError(
		t, l.run(t.Context(), Options{}), userr.BadInput, l.ws.Dir,
		"the file system is read-only: name a workspace elsewhere",
	)
}

// TestFullDisk checks that the run ends at once, with an error of one sentence, if the disk fills
// up in the middle of a stage. When there is room again, the next run continues.
func TestFullDisk(t *testing.T) {
	l := newLab(t)
	l.mounted("size=1m")
	size := 2 << 20
	l.funcs[stages.DivLSTM] = func(ctx context.Context, job *stage.Job) error {
		if err := os.WriteFile(filepath.Join(job.Dir, "model.safetensors"), make([]byte, size), 0o644); err != nil {
			return fmt.Errorf("writing the model: %w", err)
		}
		return l.work(ctx, job)
	}
	testkit.WantError(
		t, l.run(t.Context(), Options{}), userr.StageFailed, "stage divlstm", l.ws.Dir,
		"the disk is full: free some space",
	)
	if n := len(l.ran); n != 7 { // expected: prepare, test-set, vocab, classifier, fasttext, 2 accuracies
		t.Errorf("%d stages ran: the run went on with a full disk: %v", n, l.ran)
	}
	if l.ws.Done(l.stageWith(stages.DivLSTM, "")) || len(l.onDisk("tmp")) > 0 {
		t.Error("half a stage is left")
	}
	size = 10
	l.mustRun(Options{})
	if got, want := len(l.ran), len(l.plan.Stages)-7; got != want {
		t.Errorf("%d stages ran, want the %d that were missing", got, want)
	}
}

func TestFullDiskFromTheStart(t *testing.T) {
	l := newLab(t)
	dir := l.mounted("size=64k")
	_ = os.WriteFile(filepath.Join(dir, "filler"), make([]byte, 1<<20), 0o644) // fills the disk and then fails
	testkit.WantError(t, l.run(t.Context(), Options{}), userr.StageFailed, l.ws.Dir, "the disk is full")
	if len(l.ran) > 0 {
		t.Errorf("ran %v", l.ran)
	}
}
