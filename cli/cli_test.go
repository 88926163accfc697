package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/metrics/meteor"
)

// TestMain lets scripts start this test binary as if it were smlm-exp. Its models are fake: they
// write small files instead of training.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"smlm-exp": func() {
			os.Exit(Main(context.Background(), os.Args, fakeTorch{}, os.Stdin, os.Stdout, os.Stderr))
		},
	})
}

// TestScripts runs the scripts in testdata/script, which check what the program prints and its exit
// statuses. A line `exits 0 smlm-exp` runs the program inside the test process. This saves the
// quarter of a second that a new process needs to load libtorch. A line `exec smlm-exp` starts a
// new process. Scripts use `exec` if the program must run in the background or read stdin.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Abs(filepath.Join("testdata", "script")) // absolute, because the working directory changes
	if err != nil {
		t.Fatal(err)
	}
	fakes, err := filepath.Abs(filepath.Join("..", "runs", "slurm", "testdata", "fake"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 scripts,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       testkit.Updating(),
		Setup: func(env *testscript.Env) error { // a script that sets PATH=$FAKES:$PATH uses a fake Slurm
			env.Setenv("FAKES", fakes)
			testkit.WriteData(t, filepath.Join(env.WorkDir, "tiny"), 200)    // the built-in data set takes half a second
			for _, name := range []string{"SLURM_CONF", "LD_LIBRARY_PATH"} { // scripts/test-slurm.sh sets these
				if value := os.Getenv(name); value != "" {
					env.Setenv(name, value)
				}
			}
			return nil
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "mount":
				return mayMount(), nil
			case "slurm":
				return os.Getenv("SMLM_EXP_TEST_SLURM") != "", nil
			case "wordnet":
				_, there := meteor.Find("")
				return there, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":    exits,
			"sends":    sends,
			"words":    words,
			"hexfile":  hexfile,
			"tmpfs":    tmpfs,
			"remount":  remount,
			"fill":     filled,
			"dropline": dropline,
			"gzip":     gzipped,
			"rates":    rates,
		},
	})
}

// theProcess is locked while a script line runs the program inside this process. During this time,
// the working directory, os.Args and the environment belong to the script line. Other code that
// reads one of these must also lock theProcess.
var theProcess sync.Mutex

// toldByEnvironment lists the environment variables that scripts set for the program and the fake
// backend.
var toldByEnvironment = []string{
	"HOME", "TMPDIR", "PATH", "FAKE_RAN", "FAKE_FAIL", "FAKE_FILL", "FAKE_OFF", "FAKE_BF16", "FAKE_COPIES",
	"FAKE_MASKS", "FAKE_SLURM",
}

// exitStatus runs a command line in the folder and environment of a script and returns its exit
// status. It runs smlm-exp inside this process if possible. Other programs need a new process, and
// so does smlm-exp with --workers or --executor.
func exitStatus(ts *testscript.TestScript, args []string) int {
	if args[0] != "smlm-exp" || slices.Contains(args, "--workers") || slices.Contains(args, "--executor") {
		err := ts.Exec(args[0], args[1:]...)
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return exit.ExitCode()
		}
		ts.Check(err)
		return 0
	}
	theProcess.Lock()
	defer theProcess.Unlock()
	before, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer func() { ts.Check(os.Chdir(before)) }()
	defer func(before []string) { os.Args = before }(os.Args) // the program writes os.Args into its records
	os.Args = args
	for _, name := range toldByEnvironment {
		if value, was := os.LookupEnv(name); was {
			defer os.Setenv(name, value)
		} else {
			defer os.Unsetenv(name)
		}
		ts.Check(os.Setenv(name, ts.Getenv(name)))
	}
	return Main(context.Background(), args, fakeTorch{}, strings.NewReader(""), ts.Stdout(), ts.Stderr())
}

// exits implements `exits STATUS PROGRAM ARGS...`. It runs the program and checks the exit status.
// The script can then match stdout and stderr.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := exitStatus(ts, args[1:]); got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// sends implements `sends SIGNALS FILE STATUS PROGRAM ARGS...`. It starts the program, waits until
// FILE exists, sends the signals (such as HUP,INT), and checks the exit status. The status -1 means
// that the last signal killed the program. The program must survive each earlier signal for at
// least half a second. Standard error goes to the file "signals.err".
func sends(ts *testscript.TestScript, _ bool, args []string) {
	names := strings.Split(args[0], ",")
	args = args[1:]
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	stderr, err := os.Create(ts.MkAbs("signals.err"))
	ts.Check(err)
	defer stderr.Close()
	theProcess.Lock()
	path, err := exec.LookPath(args[2])
	environment := os.Environ()
	theProcess.Unlock()
	ts.Check(err)
	cmd := exec.Command(path, args[3:]...)
	cmd.Dir, cmd.Stderr = ts.MkAbs("."), stderr
	cmd.Env = append(
		environment, "FAKE_WAIT="+ts.Getenv("FAKE_WAIT"), "FAKE_HANG="+ts.Getenv("FAKE_HANG"),
		"FAKE_RAN="+ts.Getenv("FAKE_RAN"), "HOME="+ts.Getenv("HOME"), "PATH="+ts.Getenv("PATH"),
		"FAKE_SLURM="+ts.Getenv("FAKE_SLURM"),
	)
	hangUps := make(chan os.Signal, 1) // a child inherits that SIGHUP is ignored (nohup), but no handler
	signal.Notify(hangUps, syscall.SIGHUP)
	defer signal.Stop(hangUps)
	ts.Check(cmd.Start())
	kill := time.AfterFunc(testkit.Hangs, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	for deadline := time.Now().Add(testkit.Hangs); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			break
		}
		if time.Now().After(deadline) {
			_ = cmd.Process.Kill()
			ts.Fatalf("%s did not appear", args[0])
		}
	}
	ended := make(chan struct{})
	for i, name := range names {
		ts.Check(cmd.Process.Signal(unix.SignalNum("SIG" + name)))
		if i == 0 {
			go func() {
				_ = cmd.Wait() // the exit status is checked below
				close(ended)
			}()
		}
		if i == len(names)-1 {
			break
		}
		select {
		case <-ended:
			ts.Fatalf("SIG%s, number %d of %v, ended the program at once", name, i+1, names)
		case <-time.After(500 * time.Millisecond):
		}
	}
	<-ended
	if got := cmd.ProcessState.ExitCode(); got != want {
		ts.Fatalf("exit status %d after %v, want %d", got, names, want)
	}
}

// words implements `words FILE N`. It writes a short line and then a line of N words to FILE.
func words(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte("fine .\n"+strings.Repeat("word ", n)+"\n"), 0o644))
}

// hexfile implements `hexfile FILE HEX`. It writes the bytes HEX to FILE.
func hexfile(ts *testscript.TestScript, _ bool, args []string) {
	b, err := hex.DecodeString(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o644))
}

// dropline implements `dropline FILE`. It removes the last line of FILE.
func dropline(ts *testscript.TestScript, _ bool, args []string) {
	text := strings.TrimRight(ts.ReadFile(args[0]), "\n")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text[:strings.LastIndexByte(text, '\n')+1]), 0o644))
}

// tmpfs implements `tmpfs FOLDER SIZE|ro`. It mounts a small or a read-only file system until the
// script ends.
func tmpfs(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	options, flags := "size="+args[1], uintptr(0)
	if args[1] == "ro" {
		options, flags = "size=64k", syscall.MS_RDONLY
	}
	ts.Check(syscall.Mount("tmpfs", dir, "tmpfs", flags, options))
	ts.Defer(func() { _ = syscall.Unmount(dir, 0) })
}

// The function filled implements `fill FOLDER`. It fills the file system that tmpfs mounted.
func filled(ts *testscript.TestScript, _ bool, args []string) {
	err := os.WriteFile(ts.MkAbs(filepath.Join(args[0], ".filler")), make([]byte, 1<<20), 0o600)
	if !errors.Is(err, syscall.ENOSPC) {
		ts.Fatalf("%s is not full: %v", args[0], err)
	}
}

// remount implements `remount FOLDER ro`. It makes the file system that tmpfs mounted read-only.
func remount(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(syscall.Mount("tmpfs", ts.MkAbs(args[0]), "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
}

// mayMount reports whether tests may mount file systems on this machine. Scripts use the result as
// the condition [mount].
func mayMount() bool {
	dir, err := os.MkdirTemp("", "mount")
	if err != nil {
		return false
	}
	defer os.Remove(dir)
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		return false
	}
	return syscall.Unmount(dir, 0) == nil
}

// gzipped implements `gzip FILE`. It writes a compressed copy to FILE.gz.
func gzipped(ts *testscript.TestScript, _ bool, args []string) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(ts.ReadFile(args[0])))
	ts.Check(errors.Join(err, w.Close()))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+".gz"), b.Bytes(), 0o600))
}

// rates implements `rates FILE N`. It plays a human reader who rates the first N sentences of a
// sheet by simple rules (see the code). FILE is sheet-1.csv, or sheet-1.json, the file that the
// HTML form saves.
func rates(ts *testscript.TestScript, _ bool, args []string) {
	type item struct {
		Item   int              `json:"item"`
		Scores map[string][]int `json:"scores"`
		Best   []string         `json:"best"`
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	sheet, isJSON := strings.CutSuffix(args[0], ".json")
	if isJSON {
		sheet += ".csv"
	}
	rows, err := csv.NewReader(strings.NewReader(ts.ReadFile(sheet))).ReadAll()
	ts.Check(err)
	var items []item
	best := map[int]int{}
	scores := make([][]int, len(rows))
	for i, row := range rows[1:] {
		number, err := strconv.Atoi(row[0])
		ts.Check(err)
		if number > n {
			continue
		}
		if number > len(items) {
			items = append(items, item{Item: number, Scores: map[string][]int{}})
		}
		source, output := strings.Fields(strings.ToLower(row[2])), strings.Fields(row[4])
		kept := 0
		for _, word := range source {
			if slices.Contains(output, word) {
				kept++
			}
		}
		s := []int{2, 2, 2}
		if slices.Equal(source, output) {
			s[0] = 0
		}
		if 3*kept < 2*len(source) {
			s[1] = 1
		}
		if 4*kept < len(source) {
			s[1] = 0
		}
		if isJSON && len(output) > 12 {
			s[2] = 1
		}
		scores[i+1] = s
		items[number-1].Scores[row[3]] = s
		best[number] = max(best[number], s[0]+s[1]+s[2])
	}
	for i, row := range rows[1:] {
		if s := scores[i+1]; s != nil {
			number, err := strconv.Atoi(row[0])
			ts.Check(err)
			mark := ""
			switch {
			case best[number] < 5:
				mark, items[number-1].Best = "none", []string{}
			case s[0]+s[1]+s[2] == best[number]:
				mark, items[number-1].Best = "x", append(items[number-1].Best, row[3])
			}
			copy(row[5:], []string{strconv.Itoa(s[0]), strconv.Itoa(s[1]), strconv.Itoa(s[2]), mark})
		}
	}
	var b bytes.Buffer
	if isJSON {
		ts.Check(json.NewEncoder(&b).Encode(items))
	} else {
		ts.Check(csv.NewWriter(&b).WriteAll(rows))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o600))
}
