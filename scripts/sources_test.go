package scripts_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// libtorchAt writes a small fake libtorch to dir.
func (m *machine) libtorchAt(dir, version, abi string) {
	m.t.Helper()
	for name, text := range libtorchFiles(m.t, version, abi) {
		m.write(filepath.Join(dir, name), text, 0o644)
	}
}

func TestOwnLibtorch(t *testing.T) {
	for _, c := range []struct {
		name, version, abi string
		flags              string // expected compiler flags after the two -I flags; LOCAL means the cache folder
	}{
		{"the older ABI", "2.1.2", "0", " -D_GLIBCXX_USE_CXX11_ABI=0"},
		{"the newer ABI", "2.1.2", "1", ""},
		{"a newer version", "2.11.0", "1", " -include LOCAL/libtorch-compat.h"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			own := filepath.Join(filepath.Dir(m.bin), "own")
			m.libtorchAt(own, c.version, c.abi)
			before := m.files(own)
			m.env = []string{"LIBTORCH=" + own}
			m.install().wants(t, 0, "using LIBTORCH="+own+" ("+c.version+")")
			got := m.install("--print-env")
			got.wants(t, 0)
			locals, err := filepath.Glob(filepath.Join(m.cache, "libtorch/local-*"))
			if err != nil || len(locals) != 1 {
				t.Fatalf("folders in the cache: %v, %v; want one", locals, err)
			}
			flags := "CGO_CXXFLAGS='-I" + own + "/include -I" + own + "/include/torch/csrc/api/include" +
				strings.ReplaceAll(c.flags, "LOCAL", locals[0]) + "'\n"
			if !strings.Contains(got.stdout, flags) {
				t.Errorf("flags:\n%s\nwant among them:\n%s", got.stdout, flags)
			}
			if after := m.files(own); !slices.Equal(before, after) {
				t.Errorf("LIBTORCH was written to: %v, before %v", after, before)
			}
			if list := m.files(locals[0]); !slices.Contains(list, "stubs/libcudart.so") || !slices.Contains(list,
				"cxx") {
				t.Errorf("the cache lacks stubs or the compiler wrapper: %v", list)
			}
		})
	}
	t.Run("CUDA libraries are not linked", func(t *testing.T) {
		m := newMachine(t)
		own := filepath.Join(filepath.Dir(m.bin), "own")
		m.libtorchAt(own, "2.1.2", "1")
		m.write(filepath.Join(own, "lib/libtorch_cuda.so"), "cuda\n", 0o644)
		m.env = []string{"LIBTORCH=" + own}
		got := m.install("--print-env")
		got.wants(t, 0)
		if stubs, lib := strings.Index(got.stdout, "/stubs"), strings.Index(got.stdout, "-L"+own+"/lib"); stubs > lib {
			t.Errorf("the stubs come after the real CUDA libraries:\n%s", got.stdout)
		}
	})
	for part, words := range map[string]string{
		"lib/libtorch_cpu.so":                          "has no lib/libtorch_cpu.so",
		"include/torch/csrc/api/include/torch/torch.h": "has no include/torch/csrc/api/include/torch/torch.h",
	} {
		t.Run("without "+filepath.Base(part), func(t *testing.T) {
			m := newMachine(t)
			own := filepath.Join(filepath.Dir(m.bin), "own")
			m.libtorchAt(own, "2.1.2", "1")
			if err := os.Remove(filepath.Join(own, part)); err != nil {
				t.Fatal(err)
			}
			m.env = []string{"LIBTORCH=" + own}
			m.install("--print-env").wants(t, 3, words)
		})
	}
	t.Run("not a libtorch", func(t *testing.T) {
		m := newMachine(t)
		own := filepath.Join(filepath.Dir(m.bin), "own")
		m.libtorchAt(own, "2.1.2", "1")
		m.write(filepath.Join(own, "lib/libc10.so"), "text", 0o644)
		m.env = []string{"LIBTORCH=" + own}
		m.install().wants(t, 3, "does not look like libtorch")
	})
}

func TestInstallFromZip(t *testing.T) {
	archive := func(m *machine, version string) (path, sum string) {
		path = filepath.Join(filepath.Dir(m.bin), "libtorch.zip")
		files := libtorchFiles(m.t, version, "1")
		files["lib/libtorch.a"] = "must stay in the archive\n"
		return path, m.zipFile(path, "libtorch/", files)
	}
	check := func(t *testing.T, m *machine) {
		t.Helper()
		got := m.install("--print-env")
		got.wants(t, 0)
		if strings.Contains(got.stdout, "_GLIBCXX_USE_CXX11_ABI") {
			t.Errorf("the zip has the newer ABI:\n%s", got.stdout)
		}
		if list := m.files(filepath.Join(m.cache, "libtorch/2.1.2")); slices.Contains(list, "lib/libtorch.a") ||
			!slices.Contains(list,
				"lib/libtorch_cpu.so") {
			t.Errorf("unpacked: %v", list)
		}
	}
	t.Run("file", func(t *testing.T) {
		m := newMachine(t)
		path, sum := archive(m, "2.1.2")
		m.install("--zip", path, "--sha256", strings.ToUpper(sum)).wants(t, 0)
		check(t, m)
		if _, err := os.Stat(path); err != nil {
			t.Errorf("the user's own file is gone: %v", err)
		}
	})
	t.Run("file, by unzip", func(t *testing.T) {
		m := newMachine(t, "python3")
		m.linkOrSkip("unzip")
		path, sum := archive(m, "2.1.2")
		m.install("--zip", path, "--sha256="+sum).wants(t, 0)
		check(t, m)
	})
	t.Run("with a sum that is known", func(t *testing.T) {
		m := newMachine(t)
		m.servesWheels() // makes a copy of the script, so that the test can change it
		path, sum := archive(m, "2.1.2")
		text := m.read(m.script)
		known := regexp.MustCompile(`echo [0-9a-f]{64} (libtorch-[a-z0-9-]+-2\.1\.2\+cpu\.zip)`)
		if !known.MatchString(text) {
			t.Fatal("no sum of a zip was found in the script")
		}
		m.write(m.script, known.ReplaceAllString(text, "echo "+sum+" ${1}"), 0o755)
		m.install("--zip", path).wants(t, 0)
		check(t, m)
	})
	t.Run("of another sum", func(t *testing.T) {
		m := newMachine(t)
		path, sum := archive(m, "2.1.2")
		other := strings.Repeat("0a", 32)
		m.install("--zip", path, "--sha256", other).wants(t, 2, "has sha256 "+sum+", not "+other)
		m.install("--zip", path).wants(t, 2, "has sha256 "+sum, "is known of libtorch 2.1.2", "add --sha256 "+sum)
		m.install("--zip", path, "--version", "2.11.0").wants(t, 2, "none is known of libtorch 2.11.0")
		if list := m.files(filepath.Join(m.cache, "libtorch")); len(list) > 1 { // only the lock file may be there
			t.Errorf("something was installed: %v", list)
		}
	})
	t.Run("of another version", func(t *testing.T) {
		m := newMachine(t)
		path, sum := archive(m, "2.2.0")
		m.install("--zip", path, "--sha256", sum).wants(t, 2, "holds libtorch 2.2.0, not 2.1.2")
	})
	t.Run("cut short", func(t *testing.T) {
		m := newMachine(t)
		path, _ := archive(m, "2.1.2")
		text := m.read(path)
		m.write(path, text[:len(text)/2], 0o644)
		m.install("--zip", path).wants(t, 2, "is not a complete zip file")
	})
	t.Run("something else", func(t *testing.T) {
		m := newMachine(t)
		path := filepath.Join(filepath.Dir(m.bin), "photos.zip")
		sum := m.zipFile(path, "photos/", map[string]string{"a.jpg": "a"})
		m.install("--zip", path, "--sha256", sum).wants(t, 2, "it is not the official libtorch zip")
	})
	t.Run("URL, going on with a part", func(t *testing.T) {
		m := newMachine(t)
		path, sum := archive(m, "2.1.2")
		// This fake curl logs where each download starts. In its first two calls, it downloads half
		// of the remaining bytes and then loses the connection.
		m.program("curl", `while [ $# -gt 0 ]; do case $1 in --output) out=$2; shift ;; esac; url=$1; shift; done
have=0; [ -e "$out" ] && have=$(wc -c <"$out"); all=$(wc -c <"${url#test://}"); echo "$have" >>"$HOME/curl.log"
n=$(wc -l <"$HOME/curl.log"); if [ "$n" -gt 2 ]; then tail -c +$((have + 1)) "${url#test://}" >>"$out"; exit; fi
tail -c +$((have + 1)) "${url#test://}" | head -c $(((all - have) / 2)) >>"$out"; exit 18`)
		for _, tool := range []string{"wc", "tail"} {
			m.linkOrSkip(tool)
		}
		// The script knows no checksum for this zip, so it refuses the download and prints the
		// checksum. With this checksum on the command line, it accepts the download.
		m.install("--zip", "test://"+path).wants(t, 3, "has sha256 "+sum+", and ", "add --sha256 "+sum)
		m.install("--zip", "test://"+path, "--sha256", sum).wants(t, 0)
		check(t, m)
		starts := strings.Fields(m.read(filepath.Join(filepath.Dir(m.bin), "curl.log")))
		if len(starts) != 3 || starts[0] != "0" || starts[1] == "0" || starts[2] == "0" {
			t.Errorf("curl went on at %v, want only the first at 0", starts)
		}
		if left := m.files(filepath.Join(m.cache, "downloads")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
	t.Run("URL that serves a web page", func(t *testing.T) {
		m := newMachine(t)
		m.program(
			"curl",
			`while [ $# -gt 0 ]; do case $1 in --output) out=$2 ;; esac; shift; done; echo '<html>' >"$out"`,
		)
		m.install("--zip", "https://example.org/a.zip").wants(t, 3, "serves no zip file")
	})
}
