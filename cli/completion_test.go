package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/machine"
)

// says runs the program and returns what it prints.
func says(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	args = append([]string{"smlm-exp"}, args...)
	if status := Main(context.Background(), args, nil, strings.NewReader(""), &out, &errs); status != 0 {
		t.Fatalf("%v: status %d, %s", args, status, errs.String())
	}
	return out.String()
}

// TestCompletion asks a real bash for completions. If fish and zsh are installed, it also checks
// that these shells can parse their completion scripts.
func TestCompletion(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash")
	}
	script := filepath.Join(t.TempDir(), "completion")
	if err := os.WriteFile(script, []byte(says(t, "completion", "bash")), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"smlm-exp pl":                            "plan",
		"smlm-exp run --wor":                     "--workspace --workers",
		"smlm-exp data im":                       "import",
		"smlm-exp tables my.toml --for":          "--format",
		"smlm-exp mask explain --lam":            "--lambda-eps",
		"smlm-exp run exp":                       "", // the shell offers file names here
		"smlm-exp run x.toml --set a=plan --qui": "--quiet",
	} {
		cmd := exec.CommandContext(t.Context(), bash, "-c", `
			source "$1"; COMP_WORDS=($2); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _smlm_exp; echo "${COMPREPLY[*]}"`,
			"bash", script, line)
		got, err := cmd.CombinedOutput()
		if err != nil || strings.TrimSpace(string(got)) != want {
			t.Errorf("%q is completed by %q, want %q; %v", line, got, want, err)
		}
	}
	for _, shell := range []string{"fish", "zsh"} {
		text := says(t, "completion", shell)
		program, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("%s is not installed: its script was not tried", shell)
			continue
		}
		if out, err := exec.CommandContext(t.Context(), program, "-n", "-c", text).CombinedOutput(); err != nil {
			t.Errorf("%s does not take its script: %s", shell, out)
		}
	}
}

// TestRelease checks that CHANGELOG.md and CITATION.cff name the version of the program.
func TestRelease(t *testing.T) {
	for file, want := range map[string]string{
		"CHANGELOG.md": "\n## " + machine.Release + " - ", "CITATION.cff": "\nversion: " + machine.Release + "\n",
	} {
		text, err := os.ReadFile(filepath.Join("..", file))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), want) {
			t.Errorf("%s does not contain %q", file, want)
		}
	}
	if got := says(t, "version"); !strings.HasPrefix(got, "smlm-exp "+machine.Release+", commit ") {
		t.Errorf("version prints %q", got)
	}
}
