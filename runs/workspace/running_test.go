package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// The function opened returns two Workspaces for the same folder, as two processes would have them.
func opened(t *testing.T) (ours, theirs *Workspace) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "workspace")
	var both [2]*Workspace
	for i := range both {
		var err error
		if both[i], err = Open(dir); err != nil {
			t.Fatal(err)
		}
	}
	return both[0], both[1]
}

// TestRunning: Running shows what each live process is doing, and what a killed process was doing.
func TestRunning(t *testing.T) {
	ours, theirs := opened(t)
	third, err := Open(ours.Dir)
	if err != nil {
		t.Fatal(err)
	}
	is := func(when string, want ...Running) {
		t.Helper()
		got, err := third.Running()
		same := func(a, b Running) bool { return a.Alive == b.Alive && a.Stage == b.Stage }
		if err != nil || !slices.EqualFunc(got, want, same) {
			t.Errorf("%s: %+v, %v; want %+v", when, got, err, want)
		}
	}
	is("before the first run")
	if err := ours.Join(); err != nil {
		t.Fatal(err)
	}
	is("between start and first stage", Running{Alive: true})
	ours.Tell(Running{Report: Report{Stage: stages.SMLM, Note: "a long note, longer than the next"}, Stages: 3})
	ours.Tell(Running{Report: Report{Stage: stages.LM}, Stages: 3})
	is("in a stage", Running{Alive: true, Report: Report{Stage: stages.LM}})
	if all, _ := third.Running(); all[0].PID != os.Getpid() || all[0].Since.IsZero() || len(all[0].Command) == 0 ||
		all[0].Updated.IsZero() {
		t.Errorf("who it is: %+v", all[0])
	}
	testkit.WantError(t, theirs.Lock(), userr.BadInput, "is in use by process")
	if err := theirs.Join(); err != nil {
		t.Fatal(err)
	}
	is("beside one that says nothing", Running{Alive: true, Report: Report{Stage: stages.LM}})
	theirs.Unlock()

	killed := ours.Path("running", "host-1.json")
	testkit.WriteFile(t, killed, `{"pid": 1, "stage": "smlm", "command": ["smlm-exp"]}`)
	if all, err := third.Running(); err != nil || len(all) != 2 {
		t.Errorf("beside a killed one: %+v, %v", all, err)
	}
	ours.Unlock()
	is("after it was killed", Running{Report: Report{Stage: stages.SMLM}})
	if err := theirs.Hold(); err != nil {
		t.Fatal(err)
	}
	is("while another has the workspace alone", Running{Alive: true}, Running{Report: Report{Stage: stages.SMLM}})
	theirs.Unlock()
	is("after Hold, which clears nothing", Running{Report: Report{Stage: stages.SMLM}})
	if err := theirs.Lock(); err != nil {
		t.Fatal(err)
	}
	theirs.Unlock()
	is("after Lock, which does")

	testkit.WriteFile(t, killed, "{")
	is("half a note")
}

// TestTyped: the program is shown under the name that users type, not as the file that the launcher
// starts.
func TestTyped(t *testing.T) {
	for _, program := range []string{"/opt/bin/smlm-exp.bin", "smlm-exp"} {
		if got := Typed([]string{program, "run", "a b.bin"}); got != "smlm-exp run 'a b.bin'" {
			t.Errorf("%s: %q", program, got)
		}
	}
}

// TestAskingDisturbsNobody: a process that looks at the workspace holds the lock for a moment. A
// run that needs the lock at that moment waits instead of failing.
func TestAskingDisturbsNobody(t *testing.T) {
	ours, _ := opened(t)
	if err := ours.Create(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(ours.Path("lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH); err != nil {
		t.Fatal(err)
	}
	before := betweenTries
	betweenTries = func() { f.Close() }
	defer func() { betweenTries = before }()
	if err := ours.Lock(); err != nil {
		t.Error(err)
	}
	ours.Unlock()
}

// FuzzRunning checks files with any content in the folder "running". Running either ignores such a
// file or returns a process that is not alive. Formatting that process does not panic.
func FuzzRunning(f *testing.F) {
	f.Add([]byte(`{"pid":7,"host":"a","command":["x/smlm-exp.bin","run"],"stages":3,"stage":"lm","id":"ab","done":1,"total":2,"left_seconds":1.5}`))
	f.Add([]byte(`{"command":[""],"stages":-1,"finished":9,"failed":1,"done":-9223372036854775808,"total":-1,"all_seconds":1e308}`))
	f.Add([]byte(`{"pid":"seven"}`))
	f.Add([]byte(`[{}] {`))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		w, err := Open(filepath.Join(dir, strconv.Itoa(os.Getpid())))
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string][]byte{"version": []byte("3\n"), "running/a.json": text} {
			if err := os.MkdirAll(filepath.Dir(w.Path(name)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(w.Path(name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		all, err := w.Running()
		if err != nil || len(all) > 1 {
			t.Fatalf("%+v, %v", all, err)
		}
		for i := range all {
			r := &all[i]
			if r.Alive {
				t.Error("it is alive, and nobody has locked it")
			}
			if len(r.Command) > 0 {
				Typed(r.Command)
			}
			for _, columns := range []int{0, 1, 20, 80} {
				r.Line(columns)
			}
		}
	})
}
