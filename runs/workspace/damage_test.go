package workspace

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// TestNoFiles: what stands where a file of a stage was, and is none, is named; nobody waits for
// what comes out of a pipe.
func TestNoFiles(t *testing.T) {
	for what, put := range map[string]func(string) error{
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"link":   func(path string) error { return os.Symlink(path+" that is not there", path) },
	} {
		for _, name := range []string{"file", stage.RecordFile} {
			ws, stages := finishedStages(t)
			path := ws.filePath(stages[1], name)
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := put(path); err != nil {
				t.Skipf("no %s can be made here: %v", what, err)
			}
			_, ofFile := ws.File(stages[1], "file")
			for _, err := range []error{
				ws.Check(stages[1]), ws.Whole(stages[1]), ofFile, ws.CheckAll(stages)[stages[1]],
			} {
				var d *Damage
				if !errors.As(err, &d) || d.Stage != stages[1] || d.Path != path {
					t.Errorf("a %s as %s: %v", what, name, err)
				}
			}
		}
	}
}

// TestCheckAll: each stage has the answer of Check.
func TestCheckAll(t *testing.T) {
	ws, stages := finishedStages(t)
	if err := os.Truncate(ws.filePath(stages[1], "file"), 3); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(ws.StageDir(stages[3])); err != nil {
		t.Fatal(err)
	}
	found := ws.CheckAll(stages)
	for i, s := range stages {
		switch err := found[s]; i {
		case 1:
			if err == nil || !strings.Contains(err.Error(), "has 3 bytes, but was written with ") {
				t.Errorf("of one that is cut: %v", err)
			}
		case 3:
			if !errors.Is(err, os.ErrNotExist) {
				t.Errorf("of one that is gone: %v", err)
			}
		default:
			if err != nil {
				t.Errorf("stage %d: %v", i, err)
			}
		}
	}
	if len(found) != len(stages) {
		t.Errorf("%d answers", len(found))
	}
}
