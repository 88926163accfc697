package track

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// stepsOf are the steps of a run's event file, as lines.
func stepsOf(t *testing.T, folder, id string) (lines []string) {
	t.Helper()
	folders, err := os.ReadDir(folder)
	found := lists.Where(folders, func(f os.DirEntry) bool { return strings.HasPrefix(f.Name(), id+" ") })
	if err != nil || len(found) != 1 {
		t.Fatalf("files of %s: %v, %v", id, found, err)
	}
	path := filepath.Join(folder, found[0].Name(), eventFile)
	steps, whole, err := readEvents(path)
	info, _ := os.Stat(path)
	if err != nil || whole != info.Size() {
		t.Errorf("%d whole bytes of %d, %v", whole, info.Size(), err)
	}
	for _, s := range steps {
		lines = append(lines, fmt.Sprintf("%d at %v: %v", s.Step, s.Seconds, s.Values))
	}
	return lines
}

// TestTensorBoardGrows: a file grows as its training does, a record that a killed process left half
// is written again, and other values than before make another file.
func TestTensorBoardGrows(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "runs [old") // no pattern of names
	send := func(r *Run) {
		t.Helper()
		if err := (&tensorBoard{folder}).send(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"10 at 0: map[loss:1]", "20 at 1: map[loss:0.5]", "30 at 2: map[loss:0.33333334]"}
	send(curve("a", 1, false))
	send(curve("a", 2, false))
	if d := cmp.Diff(want[:2], stepsOf(t, folder, "a")); d != "" {
		t.Error(d)
	}
	path := filepath.Join((&tensorBoard{folder}).dir(curve("a", 1, false)), eventFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	testkit.WriteFile(t, path, string(text[:len(text)-3]))
	longer := curve("a", 3, true)
	longer.Name += " (lambda_eps 0.5)" // the same run, of which more is said
	send(longer)
	if d := cmp.Diff(want, stepsOf(t, folder, "a")); d != "" {
		t.Error(d)
	}
	other := curve("a", 2, true)
	other.Steps[0].Values["loss"] = 7
	send(other)
	if d := cmp.Diff([]string{"10 at 0: map[loss:7]", want[1]}, stepsOf(t, folder, "a")); d != "" {
		t.Error(d)
	}
}

// TestHostileTracks: what may lie in a workspace of others in place of a file is neither followed
// nor waited for, and not read into memory whatever its size.
func TestHostileTracks(t *testing.T) {
	for name, put := range map[string]func(path, mine string) error{
		"link": func(path, mine string) error { return os.Symlink(mine, path) },
		"pipe": func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
		"of much nothing": func(path, _ string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<40))
		},
	} {
		dir := t.TempDir()
		mine := filepath.Join(dir, "mine")
		testkit.WriteFile(t, mine, "{}\nnot a line of tracks\n")
		run := curve("a", 1, false)
		lines, board := &jsonLines{path: filepath.Join(dir, "study.jsonl")}, &tensorBoard{folder: dir}
		if err := os.Mkdir(board.dir(run), 0o700); err != nil {
			t.Fatal(err)
		}
		for path, of := range map[string]tracker{lines.path: lines, filepath.Join(board.dir(run), eventFile): board} {
			if err := put(path, mine); err != nil {
				t.Fatal(err)
			}
			err := of.send(t.Context(), run)
			if !errors.Is(err, files.ErrNotRegular) && !strings.Contains(fmt.Sprint(err), "move it away") {
				t.Errorf("%s for %s: %v", name, of, err)
			}
			of.close()
		}
		if text, err := os.ReadFile(mine); err != nil || string(text) != "{}\nnot a line of tracks\n" {
			t.Errorf("%s: the file is now %q, %v", name, text, err)
		}
	}
}

// TestJSONLines: lines are added as a training goes on; another process adds nothing while one has
// the file, and afterwards only what is new.
func TestJSONLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tracks", "study.jsonl")
	one, other := &jsonLines{path: path}, &jsonLines{path: path}
	send := func(j *jsonLines, r *Run) {
		t.Helper()
		if err := j.send(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	send(one, curve("a", 1, false))
	send(other, curve("a", 2, false))
	send(one, curve("a", 1, false))
	one.close()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	testkit.WriteFile(t, path, string(text)+`{"run": "a", "st`) // left by a killed process
	next := &jsonLines{path: path}
	send(next, curve("a", 2, true))
	next.close()
	text, err = os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"run":"a","name":"smlm a","params":{"smlm.lr":"0.1","λ (x)":"2"}}`,
		`{"run":"a","step":10,"time":"1970-01-01T00:00:00Z","values":{"loss":1}}`,
		`{"run":"a","step":20,"time":"1970-01-01T00:00:01Z","values":{"loss":0.5}}`,
	}
	if d := cmp.Diff(strings.Join(want, "\n")+"\n", string(text)); d != "" {
		t.Error(d)
	}
	// A damaged line, in the place of one that is sent again; another run's line stays.
	ours := `{"run":"b","name":"lm b"}`
	testkit.WriteFile(t, path, strings.Join([]string{want[0], "\x00\x00garbage", ours, want[2], ""}, "\n"))
	mended := &jsonLines{path: path}
	send(mended, curve("a", 2, true))
	mended.close()
	text, err = os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Join([]string{want[0], ours, want[2], want[1], ""}, "\n"), string(text)); d != "" {
		t.Error(d)
	}
}

// FuzzTracks: of any lines those are kept that can be read, as they are, and they are read again.
func FuzzTracks(f *testing.F) {
	f.Add([]byte(`{"run":"a","name":"smlm a","params":{"lr":"0.1"}}` + "\n" + `{"run":"a","step":10,"values":{"loss":1}}` + "\n"))
	f.Add([]byte("garbage\n{\"run\":\"b\"}\n{\"run\":\"c\",\"st"))
	f.Add([]byte("\n\n[]\nnull\n{\"step\":-1,\"values\":{\"\":1e308}}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		given := bytes.Clone(text)
		known, whole, err := readLines(text)
		if err != nil || whole > len(text) || len(known) > bytes.Count(given, []byte("\n")) {
			t.Fatalf("%d bytes of %d are whole, %d lines known, %v", whole, len(text), len(known), err)
		}
		kept := bytes.Clone(text[:whole])
		for line := range bytes.Lines(kept) {
			if !bytes.Contains(append([]byte("\n"), given...), append([]byte("\n"), line...)) {
				t.Errorf("%q was no line", line)
			}
		}
		again, same, err := readLines(text[:whole])
		if err != nil || same != whole || !maps.Equal(again, known) || !bytes.Equal(text[:whole], kept) {
			t.Errorf("what was kept of %q is read as %d bytes of %d, %v", given, same, whole, err)
		}
	})
}

// FuzzEvents: an event file is read up to what is damaged, or refused, and is then written anew or
// left.
func FuzzEvents(f *testing.F) {
	whole := appendRecord(nil, firstEvent(1))
	whole = appendRecord(whole, textEvent(1, "parameters", "| a | b |"))
	whole = appendRecord(whole, scalarsEvent(2, 10, map[string]float64{"loss": 1}))
	f.Add(whole)
	f.Add(whole[:len(whole)-3])
	f.Add(appendRecord(nil, []byte{0x2a, 0xff, 0xff, 0xff, 0xff, 0x0f}))
	f.Add(appendRecord(nil, []byte{0x0b, 0x0b, 0x0b}))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(dir, strconv.Itoa(os.Getpid()))
		// The sums of the second are right.
		for _, text := range [][]byte{text, appendRecord(bytes.Clone(whole), text)} {
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			steps, n, err := readEvents(path)
			if n < 0 || n > int64(len(text)) || err != nil && (len(steps) > 0 || n > 0) {
				t.Errorf("%d bytes of %d are whole, %d steps, %v", n, len(text), len(steps), err)
			}
		}
	})
}
