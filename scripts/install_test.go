package scripts_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// layout lists the files of an installation from wheels. Builds and the launcher rely on them.
var layout = []string{
	"cxx",
	"include/c10/macros/Macros.h",
	"include/torch/csrc/api/include/torch/torch.h",
	"include/torch/csrc/api/include/torch/version.h",
	"installed",
	"lib/libc10.so",
	"lib/libcudart.so.12",
	"lib/libcupti.so.12",
	"lib/libgomp-a34b3233.so.1",
	"lib/libtorch_cpu.so",
	"licences/nvidia_cupti-12-License.txt",
	"licences/nvidia_runtime-12-License.txt",
	"licences/torch-2.1.2-LICENSE",
	"licences/torch-2.1.2-NOTICE",
	"stubs/libc10_cuda.so",
	"stubs/libcaffe2_nvrtc.so",
	"stubs/libcublas.so",
	"stubs/libcuda.so",
	"stubs/libcudart.so",
	"stubs/libcudnn.so",
	"stubs/libnvToolsExt.so",
	"stubs/libnvrtc-builtins.so",
	"stubs/libnvrtc.so",
	"stubs/libtorch.so",
	"stubs/libtorch_cuda.so",
}

func TestInstallFromWheels(t *testing.T) {
	m := newMachine(t)
	m.servesWheels()
	m.install("--print-env").wants(t, 3, "libtorch 2.1.2 is not installed: run ./install-libtorch.sh")
	m.install().wants(t, 0, "libtorch 2.1.2 is in")
	folder := filepath.Join(m.cache, "libtorch/2.1.2")
	if got := m.files(folder); !slices.Equal(got, layout) {
		t.Errorf("installed files:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(layout, "\n"))
	}
	if left := m.files(filepath.Join(m.cache, "downloads")); len(left) != 0 {
		t.Errorf("the wheels were left behind: %v", left)
	}

	second := m.install()
	second.wants(t, 0)
	if got := m.downloads(); len(got) != 3 {
		t.Errorf("pip was asked for %v, want each wheel once: a second call must not do it again", got)
	}
	if quiet := m.install("--quiet"); quiet.stdout+quiet.stderr != "" {
		t.Errorf("--quiet said %q", quiet.stdout+quiet.stderr)
	}
}

// TestPrintEnv checks the exact environment, because it is part of the keys in Go's build cache. If
// it changes, every user has to compile gotch again.
func TestPrintEnv(t *testing.T) {
	m := newMachine(t)
	m.servesWheels()
	m.install().wants(t, 0)
	m.write(
		filepath.Join(m.bin, "show"), "#!/bin/sh\nprintf '%s\\n' \"$LT\" \"$CXX\" \"$CGO_CXXFLAGS\" \"$CGO_LDFLAGS\"\n",
		0o755,
	)
	got := m.run(filepath.Join(m.bin, "bash"), "-c", `eval "$("$0" --print-env)"; show`, m.script)
	got.wants(t, 0)
	want := strings.ReplaceAll(`LT
LT/cxx
-ILT/include -ILT/include/torch/csrc/api/include -D_GLIBCXX_USE_CXX11_ABI=0
-LLT/lib -LLT/stubs -Wl,-rpath,LT/lib -Wl,--no-as-needed
`, "LT", filepath.Join(m.cache, "libtorch/2.1.2"))
	if got.stdout != want {
		t.Errorf("environment:\n%s\nwant:\n%s", got.stdout, want)
	}
}

// TestCompilerWrapper checks that the wrapper replaces -O3 -g by -O1 -g0 and leaves all other
// arguments unchanged, even arguments with spaces.
func TestCompilerWrapper(t *testing.T) {
	m := newMachine(t)
	m.servesWheels()
	m.install().wants(t, 0)
	m.program("compiler", `printf '<%s>' "$@"`)
	m.env = []string{"SMLM_EXP_CXX=compiler"}
	got := m.run(filepath.Join(m.cache, "libtorch/2.1.2/cxx"), "-O3", "-g", "-c", "a b.cpp", "-O2")
	if want := "<-O1><-g0><-c><a b.cpp><-O2>"; got.stdout != want {
		t.Errorf("the compiler got %s, want %s", got.stdout, want)
	}
}

// kill starts the script, waits until the file waitFor exists, and kills the script with all its
// children.
func (m *machine) kill(waitFor string) {
	m.t.Helper()
	command := m.command(m.script)
	if err := command.Start(); err != nil {
		m.t.Fatal(err)
	}
	deadline := time.Now().Add(testkit.Hangs)
	for {
		if _, err := os.Stat(waitFor); err == nil {
			break
		}
		if time.Now().After(deadline) {
			m.t.Fatalf("%s did not appear", waitFor)
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := syscall.Kill(-command.Process.Pid, syscall.SIGKILL); err != nil {
		m.t.Fatal(err)
	}
	_ = command.Wait() // always an error, because the script was killed
}

// temporaries returns the folders that an installation works in. A finished installation leaves
// none.
func (m *machine) temporaries() []string {
	m.t.Helper()
	var found []string
	for _, pattern := range []string{"libtorch/.2.1.2.*", "downloads/part.*"} {
		paths, err := filepath.Glob(filepath.Join(m.cache, pattern))
		if err != nil {
			m.t.Fatal(err)
		}
		found = append(found, paths...)
	}
	return found
}

func TestKilledWhileDownloading(t *testing.T) {
	m := newMachine(t)
	m.servesWheels()
	hang := filepath.Join(m.wheels, "hang-on-nvidia-cuda-cupti-cu12")
	m.write(hang, "", 0o644)
	m.kill(filepath.Join(m.wheels, "hanging"))
	m.install("--print-env").wants(t, 3, "not installed")
	if err := os.Remove(hang); err != nil {
		t.Fatal(err)
	}
	m.install().wants(t, 0, "torch==2.1.2 was downloaded before")
	want := []string{"torch", "nvidia-cuda-runtime-cu12", "nvidia-cuda-cupti-cu12", "nvidia-cuda-cupti-cu12"}
	if got := m.downloads(); !slices.Equal(got, want) {
		t.Errorf("downloaded %v, want only the interrupted one again: %v", got, want)
	}
	if left := m.temporaries(); len(left) > 0 {
		t.Errorf("the killed run's folders are still there: %v", left)
	}
}

func TestKilledWhileUnpacking(t *testing.T) {
	m := newMachine(t)
	m.servesWheels()
	python := m.read(filepath.Join(m.bin, "python3"))
	m.write(filepath.Join(m.bin, "python3"), strings.Replace(python, "exec ", "", 1)+
		"if [ \"$1\" = - ]; then touch \"$WHEELS/unpacked\"; sleep 60; fi\n", 0o755)
	m.kill(filepath.Join(m.wheels, "unpacked"))
	if left := m.temporaries(); len(left) == 0 {
		t.Fatal("the script was not killed in the middle of its work")
	}
	if _, err := os.Stat(filepath.Join(m.cache, "libtorch/2.1.2")); err == nil {
		t.Error("a killed installation left a folder that looks finished")
	}
	m.write(filepath.Join(m.bin, "python3"), python, 0o755)
	m.install().wants(t, 0)
	if got := m.files(filepath.Join(m.cache, "libtorch/2.1.2")); !slices.Equal(got, layout) {
		t.Errorf("installed files after a kill: %v", got)
	}
	if got := m.downloads(); len(got) != 3 {
		t.Errorf("downloaded %v, want nothing twice", got)
	}
	if left := m.temporaries(); len(left) > 0 {
		t.Errorf("the killed run's folders are still there: %v", left)
	}
}

func TestWrongChecksum(t *testing.T) {
	m := newMachine(t)
	m.servesWheels()
	m.zipFile(
		filepath.Join(m.wheels, "nvidia-cuda-cupti-cu12.whl"), "nvidia/",
		map[string]string{"libcupti.so.12": "another\n"},
	)
	m.install().wants(t, 3, "nvidia-cuda-cupti-cu12==12.1.105 as downloaded has sha256")
	if _, err := os.Stat(filepath.Join(m.cache, "libtorch/2.1.2")); err == nil {
		t.Error("a file with another checksum was installed")
	}
}

func TestMissingTools(t *testing.T) {
	for _, c := range []struct {
		name   string
		absent []string
		args   []string
		want   []string
	}{
		{
			"pip",
			[]string{"pip"},
			nil,
			[]string{"missing: pip (or use --zip with curl and unzip)", "apt-get install python3-pip"},
		},
		{
			"all",
			[]string{"pip", "go", "g++", "make"},
			nil,
			[]string{"go (1.26 or newer", "g++", "make", "pip", "apt-get install golang-go g++ make python3-pip"},
		},
		{"curl", []string{"curl"}, []string{"--zip", "https://example.org/libtorch.zip"}, []string{"missing: curl"}},
		{
			"unzip",
			[]string{"python3", "unzip"},
			[]string{"--zip", "libtorch.zip"},
			[]string{"missing: unzip (or python3)"},
		},
		{"nm", []string{"nm"}, nil, []string{"missing: nm", "binutils"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t, append(c.absent, "python3")...)
			if !slices.Contains(c.absent, "python3") {
				m.program("python3", `[ "$1" != -m ]`) // a Python without pip
			}
			if !slices.Contains(c.absent, "pip") {
				m.program("pip", fakePip)
			}
			got := m.install(c.args...)
			got.wants(t, 3, c.want...)
			if strings.Count(strings.TrimSpace(got.stderr), "\n") != 0 {
				t.Errorf("more than one sentence:\n%s", got.stderr)
			}
		})
	}
	t.Run("a run-only machine needs no compiler", func(t *testing.T) {
		m := newMachine(t, "go", "g++", "make")
		m.servesWheels()
		m.install("--libs-only").wants(t, 0)
	})
	t.Run("each package manager's own names", func(t *testing.T) {
		m := newMachine(t, "g++")
		m.program("dnf", "")
		m.program("pip", fakePip)
		m.install().wants(t, 3, "missing: g++; get them with: sudo dnf install gcc-c++")
	})
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		env  []string
		code int
		want string
	}{
		{args: []string{"--help"}, code: 0, want: "usage:"},
		{args: []string{"--vesion", "2.1.2"}, code: 2, want: "unknown argument --vesion"},
		{args: []string{"--version"}, code: 2, want: "--version needs a value"},
		{args: []string{"--version", "1.0"}, code: 2, want: "the versions are 2.1.2 and 2.11.0"},
		{args: []string{"--zip", "nowhere.zip"}, code: 2, want: "nowhere.zip is missing or empty"},
		{args: []string{"--sha256", strings.Repeat("a", 64)}, code: 2, want: "name it with --zip"},
		{args: []string{"--zip", "a.zip", "--sha256", "abc"}, code: 2, want: "must be 64 hexadecimal digits"},
		{env: []string{"LIBTORCH=/nonexistent"}, code: 3, want: "LIBTORCH=/nonexistent is not a folder"},
		{env: []string{"LIBTORCH=/nonexistent"}, args: []string{"--zip", "a.zip"}, code: 2, want: "exclude each other"},
		{env: []string{"SMLM_EXP_CACHE=/tmp/a b"}, code: 2, want: "has a space in its name"},
		{env: []string{"SMLM_EXP_CACHE=/dev/null/cache"}, code: 3, want: "cannot write to /dev/null/cache"},
	} {
		t.Run(strings.Join(append(c.env, c.args...), " "), func(t *testing.T) {
			m := newMachine(t)
			m.program("pip", fakePip)
			m.env = c.env
			m.install(c.args...).wants(t, c.code, c.want)
		})
	}
	t.Run("another system", func(t *testing.T) {
		m := newMachine(t)
		m.program("uname", `case $1 in -s) echo Darwin ;; *) echo arm64 ;; esac`)
		m.install().wants(t, 3, "Linux/x86_64 only, and this is Darwin/arm64", "LIBTORCH=DIR")
	})
	t.Run("a full disk", func(t *testing.T) {
		m := newMachine(t)
		m.servesWheels()
		m.program("df", `echo head; echo "disk 1 1 12 99% /"`)
		m.install().wants(t, 3, "has 12 MB free and libtorch 2.1.2 needs 1300")
	})
}
