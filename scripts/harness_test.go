// Package scripts_test runs the shell scripts as a user would. PATH, home and package index are
// made for the test, so it downloads nothing and does not touch the machine's own installation.
package scripts_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// tools are the programs that the scripts may call. A test can leave some out, to see what happens
// if they are missing.
var tools = strings.Fields(
	`awk bash basename cat chmod cmp cp cut df dirname env find flock g++ gcc as ld go grep head ldd ln stat tr
	ls make mkdir mktemp mv nm paste printf python3 readlink rm sed sh sha256sum sleep sort touch uname`,
)

// repo returns the path of the checkout's top folder.
func repo(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// machine is a computer as a script sees it.
type machine struct {
	t      *testing.T
	bin    string   // the only folder in PATH
	cache  string   // value of SMLM_EXP_CACHE
	wheels string   // folder of the wheels that the fake pip serves
	script string   // path of install-libtorch.sh, or of the copy that servesWheels makes
	env    []string // further environment variables
}

// newMachine returns a machine whose PATH has the programs in tools, except the absent ones. Tests
// with a machine run in parallel.
func newMachine(t *testing.T, absent ...string) *machine {
	t.Helper()
	t.Parallel()
	dir := t.TempDir()
	m := &machine{
		t: t, bin: filepath.Join(dir, "bin"), cache: filepath.Join(dir, "cache"), wheels: filepath.Join(dir, "wheels"),
		script: filepath.Join(repo(t), "install-libtorch.sh"),
	}
	m.mkdir(m.bin)
	for _, tool := range tools {
		path, err := exec.LookPath(tool)
		if err != nil || slices.Contains(absent, tool) {
			continue
		}
		// Each tool is a script that calls the real one. A link would not do: some programs look at
		// their own name, and a test that writes to a link would overwrite the real program.
		// python3 must not run the real machine's pip, which would download packages.
		guard := ""
		if tool == "python3" {
			guard = `if [ "$1 $2" = "-m pip" ]; then exit 1; fi; `
		}
		m.program(tool, guard+"exec "+path+` "$@"`)
	}
	return m
}

func (m *machine) mkdir(path string) {
	m.t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) write(path, text string, mode os.FileMode) {
	m.t.Helper()
	m.mkdir(filepath.Dir(path))
	// Remove the file first, so that a test never writes through a link.
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) read(path string) string {
	m.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		m.t.Fatal(err)
	}
	return string(text)
}

// program puts a shell script into the PATH.
func (m *machine) program(name, body string) {
	m.t.Helper()
	shell, err := exec.LookPath("bash")
	if err != nil {
		m.t.Skip("bash is missing, which the scripts are written for")
	}
	m.write(filepath.Join(m.bin, name), "#!"+shell+"\n"+body+"\n", 0o755)
}

// result is the exit code and the output of a command.
type result struct {
	code           int
	stdout, stderr string
}

func (m *machine) command(name string, args ...string) *exec.Cmd {
	command := exec.Command(name, args...)
	command.Env = append([]string{
		"PATH=" + m.bin, "HOME=" + filepath.Dir(m.bin), "SMLM_EXP_CACHE=" + m.cache, "WHEELS=" + m.wheels,
		"TMPDIR=" + filepath.Dir(m.bin), "LC_ALL=C", "PIP_NO_INDEX=1",
	}, m.env...)
	command.Dir = filepath.Dir(m.bin)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return command
}

func (m *machine) run(name string, args ...string) result {
	m.t.Helper()
	command := m.command(name, args...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		m.t.Fatalf("running %s: %v", name, err)
	}
	return result{command.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// install runs install-libtorch.sh.
func (m *machine) install(args ...string) result {
	m.t.Helper()
	return m.run(m.script, args...)
}

// wants fails the test unless the command ended with the given exit code and printed all the words.
func (r result) wants(t *testing.T, code int, words ...string) {
	t.Helper()
	if r.code != code {
		t.Fatalf("exit code %d, want %d; it said:\n%s%s", r.code, code, r.stdout, r.stderr)
	}
	for _, word := range words {
		if !strings.Contains(r.stdout+r.stderr, word) {
			t.Errorf("%q is not in what it said:\n%s%s", word, r.stdout, r.stderr)
		}
	}
}

// downloads returns the names of the packages that the script requested from the fake pip.
func (m *machine) downloads() []string {
	text, _ := os.ReadFile(filepath.Join(m.wheels, "pip.log"))
	return strings.Fields(string(text))
}

// files lists the files below dir, by path relative to dir.
func (m *machine) files(dir string) []string {
	m.t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			list = append(list, rel)
		}
		return err
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return list
}

// linkOrSkip puts a tool of the real machine into the PATH, or skips the test if the tool is
// missing.
func (m *machine) linkOrSkip(tool string) {
	m.t.Helper()
	path, err := exec.LookPath(tool)
	if err != nil {
		m.t.Skipf("%s is missing", tool)
	}
	m.program(tool, "exec "+path+` "$@"`)
}
