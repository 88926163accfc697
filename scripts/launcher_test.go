package scripts_test

import (
	"os"
	"path/filepath"
	"testing"
)

// launch builds a launcher for a small fake libtorch, next to a program that prints how it was
// started. It returns the paths of the launcher and of libtorch.
func launch(t *testing.T) (m *machine, launcher, libtorch string) {
	t.Helper()
	m = newMachine(t)
	home := filepath.Dir(m.bin)
	libtorch = filepath.Join(home, "it's a libtorch & more") // characters that might break the template
	m.libtorchAt(libtorch, "2.1.2", "0")
	launcher = filepath.Join(home, "out/bin/smlm-exp")
	m.run(filepath.Join(repo(t), "scripts/make-launcher.sh"), libtorch, "2.1.2", launcher).wants(t, 0)
	m.write(
		launcher+".bin",
		"#!/bin/sh\necho \"library path <$LD_LIBRARY_PATH> cache <$GOTCH_CACHE>\"\nprintf '<%s>' \"$@\"\nexit 7\n",
		0o755,
	)
	return m, launcher, libtorch
}

func TestLauncherPassesAllOn(t *testing.T) {
	m, launcher, _ := launch(t)
	m.run(
		launcher, "run", "my experiment.toml", "--set", "a='b'", "",
	).wants(t, 7, "<run><my experiment.toml><--set><a='b'><>",
		"library path <>", "cache <"+filepath.Dir(m.bin)+">")
}

func TestLauncherThroughLinks(t *testing.T) {
	m, launcher, _ := launch(t)
	link := filepath.Join(filepath.Dir(m.bin), "link")
	if err := os.Symlink(launcher, link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(link, filepath.Join(m.bin, "smlm-exp")); err != nil {
		t.Fatal(err)
	}
	m.run(link, "a").wants(t, 7, "<a>")
	m.run(filepath.Join(m.bin, "sh"), "-c", "cd /; smlm-exp b").wants(t, 7, "<b>")
	m.run(filepath.Join(m.bin, "sh"), "-c", "cd out/bin; ./smlm-exp c").wants(t, 7, "<c>")
}

func TestLauncherInNoFolder(t *testing.T) {
	m, launcher, _ := launch(t)
	sh := filepath.Join(m.bin, "sh")
	m.run(sh, "-c", "/bin/mkdir gone; cd gone; /bin/rmdir ../gone; exec '"+launcher+"' run").wants(t, 2, "the current folder is gone")
	m.run(sh, "-c", "/bin/mkdir was; cd was; /bin/mv ../was ../is; exec '"+launcher+"' run").wants(t, 7, "<run>")
	m.env = []string{"PWD="}
	m.run(sh, "-c", "unset PWD; exec '"+launcher+"' run").wants(t, 7, "<run>")
}

func TestLauncherWithoutLibtorch(t *testing.T) {
	m, launcher, libtorch := launch(t)
	if err := os.RemoveAll(libtorch); err != nil {
		t.Fatal(err)
	}
	m.run(launcher, "run").wants(
		t, 3, "smlm-exp: libtorch is missing from "+libtorch, "./install-libtorch.sh --version 2.1.2",
	)

	other := filepath.Join(filepath.Dir(m.bin), "other")
	m.env = []string{"LIBTORCH=" + other, "LD_LIBRARY_PATH=/mine"}
	m.run(launcher, "run").wants(t, 3, "has no lib/libtorch_cpu.so", "./install-libtorch.sh")
	m.libtorchAt(other, "2.11.0", "1")
	m.run(launcher, "run").wants(t, 3, "LIBTORCH names libtorch 2.11.0 in "+other, "this program was built with 2.1.2")
	if err := os.RemoveAll(other); err != nil {
		t.Fatal(err)
	}
	m.libtorchAt(other, "2.1.2", "1")
	m.run(launcher, "run").wants(t, 7, "library path <"+other+"/lib:/mine>")
}

// TestLauncherWithLibraryPath checks that if the libtorch of the build is missing, the launcher
// uses the one in LD_LIBRARY_PATH, such as Python's. It must refuse another version of libtorch
// there, because the loader would load it.
func TestLauncherWithLibraryPath(t *testing.T) {
	m, launcher, libtorch := launch(t)
	python := filepath.Join(filepath.Dir(m.bin), "site-packages/torch")
	m.libtorchAt(python, "2.1.2", "0")
	if err := os.RemoveAll(libtorch); err != nil {
		t.Fatal(err)
	}
	m.env = []string{"LD_LIBRARY_PATH=/mine:" + python + "/lib"}
	m.run(launcher, "run").wants(t, 7, "library path <"+python+"/lib:/mine:"+python+"/lib>")
	m.env = []string{"LD_LIBRARY_PATH=" + python + "/include:/mine:"}
	m.run(launcher, "run").wants(t, 3, "libtorch is missing from "+libtorch)
	m.libtorchAt(python, "2.11.0", "1")
	m.env = []string{"LD_LIBRARY_PATH=" + python + "/lib/"}
	m.run(launcher, "run").wants(
		t, 3, "LD_LIBRARY_PATH names libtorch 2.11.0 in "+python, "this program was built with 2.1.2",
	)
}

// TestLauncherBusy checks that threads sleep while they wait if other programs use all cores,
// unless the user has set how threads wait.
func TestLauncherBusy(t *testing.T) {
	m, launcher, _ := launch(t)
	m.write(launcher+".bin", "#!/bin/sh\necho \"wait <$OMP_WAIT_POLICY> spin <$GOMP_SPINCOUNT>\"\nexit 7\n", 0o755)
	m.program("nproc", "echo 100000")
	m.run(launcher, "run").wants(t, 7, "wait <> spin <>")
	m.program("nproc", "echo 0")
	m.run(launcher, "run").wants(t, 7, "wait <passive> spin <>")
	m.env = []string{"OMP_WAIT_POLICY=active"}
	m.run(launcher, "run").wants(t, 7, "wait <active> spin <>")
	m.env = []string{"GOMP_SPINCOUNT=5"}
	m.run(launcher, "run").wants(t, 7, "wait <> spin <5>")
}

// TestLauncherBundled checks that the launcher uses the libtorch of its tarball, wherever the
// tarball is unpacked, unless LIBTORCH names another libtorch.
func TestLauncherBundled(t *testing.T) {
	m, launcher, libtorch := launch(t)
	if err := os.RemoveAll(libtorch); err != nil {
		t.Fatal(err)
	}
	bundled := filepath.Join(filepath.Dir(filepath.Dir(launcher)), "libtorch")
	m.libtorchAt(bundled, "2.1.2", "0")
	m.run(launcher, "run").wants(t, 7, "library path <"+bundled+"/lib>")
	other := filepath.Join(filepath.Dir(m.bin), "other")
	m.libtorchAt(other, "2.1.2", "0")
	m.env = []string{"LIBTORCH=" + other}
	m.run(launcher, "run").wants(t, 7, "library path <"+other+"/lib>")
}

// TestLauncherUnusableLibraries checks that bad libraries are reported in a sentence before the
// program starts. Without the launcher's check, the loader would stop with status 127, or the
// program would stop later, when it calls a missing function.
func TestLauncherUnusableLibraries(t *testing.T) {
	m, launcher, libtorch := launch(t)
	home := filepath.Dir(m.bin)
	library := func(dir, name, text string) {
		t.Helper()
		m.write(filepath.Join(home, name+".c"), text, 0o644)
		m.mkdir(dir + "/lib")
		m.run(filepath.Join(m.bin, "gcc"), "-shared", "-fPIC", "-o", dir+"/lib/"+name,
			filepath.Join(home, name+".c"), "-Wl,-soname,"+name).wants(t, 0)
	}
	library(libtorch, "libc10.so", "int tensor = 7;\n")
	library(libtorch, "libtorch_cpu.so", "int add(void) { return 0; }\n")
	m.run(filepath.Join(repo(t), "scripts/make-launcher.sh"), libtorch, "2.1.2", launcher).wants(t, 0)
	m.write(home+"/main.c", "extern int tensor; int add(void); int main(void) { return tensor + add(); }\n", 0o644)
	m.run(filepath.Join(m.bin, "gcc"), "-o", launcher+".bin", home+"/main.c", "-L"+libtorch+"/lib", "-l:libc10.so",
		"-l:libtorch_cpu.so", "-Wl,-rpath,"+libtorch+"/lib").wants(t, 0)
	m.run(launcher).wants(t, 7)

	other := filepath.Join(home, "other")
	m.env = []string{"LIBTORCH=" + other}
	library(other, "libc10.so", "long more[900], tensor = 7;\n")
	library(other, "libtorch_cpu.so", "int add(void) { return 0; }\n")
	m.run(launcher).wants(t, 7) // another build, but with all symbols that the program needs
	library(other, "libc10.so", "int otherwise;\n")
	m.run(launcher).wants(t, 3, "undefined symbol: tensor", "LIBTORCH="+other, "of the same C++ ABI")
	library(other, "libc10.so", "int tensor = 7;\n")
	library(other, "libtorch_cpu.so", "int otherwise;\n")
	m.run(launcher).wants(t, 3, "undefined symbol: add", "LIBTORCH="+other)
	m.write(other+"/lib/libtorch_cpu.so", "cut", 0o644)
	m.run(launcher).wants(t, 3, "file too short", "LIBTORCH="+other)
	if err := os.Remove(other + "/lib/libc10.so"); err != nil {
		t.Fatal(err)
	}

	front := filepath.Join(home, "front")
	m.write(front+"/libc10.so", "cut", 0o644)
	m.env = []string{"LD_LIBRARY_PATH=" + front}
	m.run(launcher).wants(t, 3, front+"/libc10.so: file too short", "LD_LIBRARY_PATH="+front, "take folders of other libraries out")

	m.env = nil
	m.write(libtorch+"/lib/libtorch_cpu.so", "cut", 0o644)
	m.run(launcher).wants(t, 3, "file too short", "libtorch in "+libtorch)
	if err := os.Remove(launcher + ".bin"); err != nil {
		t.Fatal(err)
	}
	m.run(launcher).wants(t, 3, "smlm-exp.bin is not beside this launcher in "+filepath.Dir(launcher))
}

// TestLauncherAddressSpace checks that the launcher refuses to start if the limit on address space
// is so low that the program would hang or crash. Under a higher limit, the launcher must set
// MALLOC_ARENA_MAX, so that the program takes less address space.
func TestLauncherAddressSpace(t *testing.T) {
	m, launcher, _ := launch(t)
	sh := filepath.Join(m.bin, "sh")
	m.write(launcher+".bin", "#!/bin/sh\necho \"pools <$MALLOC_ARENA_MAX>\"\nexit 7\n", 0o755)
	m.run(sh, "-c", "ulimit -v 2199999; exec '"+launcher+"' run").wants(
		t, 1, "there is not enough memory", "2199999 kB", "h_vmem")
	m.run(sh, "-c", "ulimit -v 2200000; exec '"+launcher+"' run").wants(t, 7, "pools <1>")
	m.run(launcher, "run").wants(t, 7, "pools <>")
}
