package slurm

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// TestOpenTask: a task finds its line, and says what is wrong where it cannot.
func TestOpenTask(t *testing.T) {
	l := newLab(t, "")
	list := filepath.Join(t.TempDir(), "1.tasks")
	s := l.plan.Stages[1]
	testkit.WriteFile(t, list, "smlm/0123\n"+string(s.Name)+"/"+s.ID+"\n")
	for _, c := range []struct{ number, want string }{
		{"1", "the stage smlm/0123 is not part of this experiment on this node"},
		{"3", `has no line "3"`},
		{"", `has no line ""`},
	} {
		t.Setenv("SLURM_ARRAY_TASK_ID", c.number)
		_, err := OpenTask(list, l.plan, l.ws)
		testkit.WantError(t, err, userr.BadInput, c.want)
	}
	t.Setenv("SLURM_ARRAY_TASK_ID", "2")
	if task, err := OpenTask(list, l.plan, l.ws); err != nil || len(task.Given) != 1 || task.Given[0] != s.ID {
		t.Errorf("%+v, %v", task, err)
	}
}

// TestShellWord: bash reads a word as it was.
func TestShellWord(t *testing.T) {
	for _, word := range []string{"", "a b", "it's", `$HOME "x" \`, "masking.lambda_eps=[0,0.15]", "datasets/a-b_1.toml"} {
		out, err := call(t.Context(), "bash", "-c", "printf %s "+wording.ShellWord(word))
		if err != nil || out != word {
			t.Errorf("%q became %q, %v", word, out, err)
		}
	}
}

// TestLastWords: what a log ends with.
func TestLastWords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if got := lastWords(path); got != "" {
		t.Errorf("%q of no file", got)
	}
	if err := os.WriteFile(path, []byte("a\nsmlm-exp: interrupted\n\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := lastWords(path); got != "interrupted" {
		t.Errorf("%q", got)
	}
}

// FuzzTasks: what lies in a file of tasks is a stage of this experiment, or is refused in words.
func FuzzTasks(f *testing.F) {
	p := planOf(f, testkit.SmallStudy)
	ws, err := workspace.Open(p.Experiment.Workspace)
	if err != nil {
		f.Fatal(err)
	}
	s := p.Stages[1]
	f.Add(string(s.Name) + "/" + s.ID + " smlm/0123\n")
	f.Add("\n\n")
	f.Add("/ ../../x \x1b[2J\x00\n")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		list := filepath.Join(dir, strconv.Itoa(os.Getpid())+tasksExt)
		if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv("SLURM_ARRAY_TASK_ID", "1")
		task, err := OpenTask(list, p, ws)
		if err != nil {
			if userr.CodeOf(err) != userr.BadInput || strings.Contains(err.Error(), "\n") || len(err.Error()) > 1000 {
				t.Errorf("it says %q", err)
			}
			return
		}
		first, _, _ := strings.Cut(text, "\n")
		if names := strings.Fields(first); len(task.Given) != len(names) || len(task.stages) != len(names) {
			t.Errorf("%q are the stages %v", names, task.Given)
		}
	})
}
