package scripts_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// The map c10 has, for each C++ ABI, a function that returns a shared library of this ABI.
// install-libtorch.sh recognises the ABI by a function in the library.
var c10 = map[string]func() (string, error){
	"0": sync.OnceValues(func() (string, error) { return compileC10("0") }),
	"1": sync.OnceValues(func() (string, error) { return compileC10("1") }),
}

func compileC10(abi string) (string, error) {
	dir, err := os.MkdirTemp("", "c10")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	source, library := filepath.Join(dir, "c10.cpp"), filepath.Join(dir, "libc10.so")
	text := `#include <string>
namespace c10 { namespace detail { void torchCheckFail(const char*, const char*, unsigned, const std::string&) {} } }`
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		return "", err
	}
	out, err := exec.Command(
		"g++", "-shared", "-fPIC", "-D_GLIBCXX_USE_CXX11_ABI="+abi, "-o", library, source,
	).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("compiling a small libc10: %w: %s", err, out)
	}
	built, err := os.ReadFile(library)
	return string(built), err
}

// versionHeader returns the part of torch/version.h that the scripts read. In newer versions, this
// part is in a header that torch/version.h includes.
func versionHeader(version string) string {
	part := strings.Split(version, ".")
	return "#define TORCH_VERSION_MAJOR " + part[0] + "\n#define TORCH_VERSION_MINOR " + part[1] +
		"\n#define TORCH_VERSION_PATCH " + part[2] + "\n#define TORCH_VERSION \\\n  \"" + version + "\"\n"
}

// libtorchFiles returns the files of a fake libtorch of a few bytes: the files that the scripts
// read, and some files that the scripts should leave alone.
func libtorchFiles(t *testing.T, version, abi string) map[string]string {
	t.Helper()
	library, err := c10[abi]()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"include/torch/csrc/api/include/torch/torch.h": "// torch.h\n",
		"include/c10/macros/Macros.h":                  "// Macros.h\n",
		"lib/libc10.so":                                library,
		"lib/libtorch_cpu.so":                          "not read by the scripts\n",
		"lib/libgomp-a34b3233.so.1":                    "gomp\n",
	}
	api := "include/torch/csrc/api/include/torch/version.h"
	if version == "2.11.0" {
		files[api] = "#include <torch/headeronly/version.h>\n"
		files["include/torch/headeronly/version.h"] = versionHeader(version)
	} else {
		files[api] = versionHeader(version)
	}
	return files
}

// zipFile writes an archive and returns its sha256.
func (m *machine) zipFile(path, prefix string, files map[string]string) string {
	m.t.Helper()
	var buffer bytes.Buffer
	archive := zip.NewWriter(&buffer)
	for name, text := range files {
		inside := prefix + name
		if top, ok := strings.CutPrefix(name, "/"); ok {
			inside = top
		}
		w, err := archive.Create(inside)
		if err != nil {
			m.t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			m.t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		m.t.Fatal(err)
	}
	m.write(path, buffer.String(), 0o644)
	sum := sha256.Sum256(buffer.Bytes())
	return hex.EncodeToString(sum[:])
}

// fakePip is a script that acts as pip and serves three wheels. It logs each call in pip.log and
// copies the requested wheel.
const fakePip = `
while [ $# -gt 0 ]; do
  case $1 in -d) into=$2; shift ;; --version) echo pip; exit ;; *==*) name=${1%%==*} ;; esac; shift
done
echo "$name" >>"$WHEELS/pip.log"
if [ -e "$WHEELS/hang-on-$name" ]; then echo part >"$into/part-of-a-wheel"; touch "$WHEELS/hanging"; sleep 60; fi
cp "$WHEELS/$name.whl" "$into/"`

// servesWheels gives the machine a pip, three small wheels, and a copy of the script that expects
// their checksums.
func (m *machine) servesWheels() {
	m.t.Helper()
	m.program("pip", fakePip)
	m.mkdir(m.wheels)
	torch := libtorchFiles(m.t, "2.1.2", "0")
	torch["lib/libtorch_cuda.so"] = "must stay in the wheel\n"
	torch["__init__.py"] = "must stay in the wheel\n"
	torch["/torch-2.1.2.dist-info/LICENSE"], torch["/torch-2.1.2.dist-info/NOTICE"] = "torch's licence\n", "notice\n"
	sums := map[string]string{
		"torch": m.zipFile(filepath.Join(m.wheels, "torch.whl"), "torch/", torch),
		"nvidia-cuda-runtime-cu12": m.zipFile(filepath.Join(
			m.wheels, "nvidia-cuda-runtime-cu12.whl",
		), "nvidia/cuda_runtime/lib/",
			map[string]string{"libcudart.so.12": "cudart\n", "/nvidia_runtime-12.dist-info/License.txt": "licence\n"}),
		"nvidia-cuda-cupti-cu12": m.zipFile(filepath.Join(
			m.wheels, "nvidia-cuda-cupti-cu12.whl",
		), "nvidia/cuda_cupti/lib/",
			map[string]string{
				"libcupti.so.12": "cupti\n", "libnvperf_host.so": "must stay in the wheel\n",
				"/nvidia_cupti-12.dist-info/License.txt": "licence\n",
			}),
	}
	text := m.read(m.script)
	for name, sum := range sums {
		line := regexp.MustCompile(`(?m)^(` + name + `==(?:2\.1\.2|12\.1\.105)) [0-9a-f]{64} `)
		if !line.MatchString(text) {
			m.t.Fatalf("no checksum of %s was found in the script", name)
		}
		text = line.ReplaceAllString(text, "${1} "+sum+" ")
	}
	folder := filepath.Join(filepath.Dir(m.bin), "checkout")
	m.write(
		filepath.Join(folder, "scripts/libtorch-compat.h"),
		m.read(filepath.Join(repo(m.t), "scripts/libtorch-compat.h")), 0o644,
	)
	m.script = filepath.Join(folder, "install-libtorch.sh")
	m.write(m.script, text, 0o755)
}
