package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// finishedStages returns a workspace with five finished stages, each with one file.
func finishedStages(t *testing.T) (*Workspace, []*plan.Stage) {
	t.Helper()
	p, ws := swept(t)
	stages := p.Stages[:5]
	for _, s := range stages {
		testkit.WriteFile(t, ws.filePath(s, "file"), "what the stage wrote: "+s.ID)
		if err := stage.Seal(ws.StageDir(s), &stage.Record{Name: s.Name, ID: s.ID, State: stage.Done}); err != nil {
			t.Fatal(err)
		}
	}
	return ws, stages
}

// replace removes the file at a path and calls put to put something else there.
func replace(t *testing.T, path string, put func(string) error) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := put(path); err != nil {
		t.Skipf("this cannot be made here: %v", err)
	}
}

// TestDamage damages a stage's file and its record in several ways. Every function that reads the
// stage must name the damaged file, and none may wait for a pipe.
func TestDamage(t *testing.T) {
	for how, put := range map[string]func(string) error{
		"pipe":    func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"folder":  func(path string) error { return os.Mkdir(path, 0o700) },
		"link":    func(path string) error { return os.Symlink(path+" that is not there", path) },
		"emptied": func(path string) error { return os.WriteFile(path, nil, 0o600) },
	} {
		for _, name := range []string{"file", stage.RecordFile} {
			if how == "link" && name == stage.RecordFile {
				continue // with a link to nothing as its record, the stage counts as unfinished
			}
			ws, stages := finishedStages(t)
			path := ws.filePath(stages[1], name)
			replace(t, path, put)
			_, ofFile := ws.File(stages[1], "file")
			for _, err := range []error{ws.Whole(stages[1]), ofFile} {
				var d *Damage
				if !errors.As(err, &d) || d.Stage != stages[1] || d.Path != path {
					t.Errorf("a %s as %s: %v", how, name, err)
				}
			}
			if found := ws.Verify(stages...); len(found) != 1 || found[0].Path != path {
				t.Errorf("a %s as %s: verify finds %v", how, name, found)
			}
		}
	}
}

// TestVerifyReadsAll: Verify finds a changed byte, a record of another stage and a missing file. A
// stage whose folder is missing counts as not finished, not as damaged.
func TestVerifyReadsAll(t *testing.T) {
	ws, stages := finishedStages(t)
	changed, another, missing := ws.filePath(stages[0], "file"), ws.filePath(stages[2], stage.RecordFile), ws.filePath(stages[3], "file")
	text, err := os.ReadFile(changed)
	if err != nil {
		t.Fatal(err)
	}
	text[3] ^= 1
	testkit.WriteFile(t, changed, string(text))
	record, err := os.ReadFile(ws.filePath(stages[1], stage.RecordFile))
	if err != nil {
		t.Fatal(err)
	}
	testkit.WriteFile(t, another, string(record))
	if err := errors.Join(os.Remove(missing), os.RemoveAll(ws.StageDir(stages[4]))); err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, d := range ws.Verify(stages...) {
		paths = append(paths, d.Path)
	}
	if want := []string{changed, another, missing}; !slices.Equal(paths, want) {
		t.Errorf("damaged are %q, want %q", paths, want)
	}
	if err := ws.Whole(stages[4]); !errors.Is(err, fs.ErrNotExist) || ws.Done(stages[4]) {
		t.Errorf("of a stage that is gone: %v", err)
	}
	if _, err := ws.File(stages[1], "other"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of a file that the stage has not: %v", err)
	}
	if got := filepath.Base(ws.filePath(stages[1], "a/b")); got != "b" {
		t.Errorf("the file is named %q", got)
	}
}
