package slurm

import (
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// TestCut: every stage is in one task, after what it needs; each training leads one, and few tasks
// have none.
func TestCut(t *testing.T) {
	p := planOf(t, testkit.SweptStudy)
	tasks := cut(p.Stages)
	in, at := map[*plan.Stage]*task{}, map[*plan.Stage]int{}
	others := 0
	for _, task := range tasks {
		for i, s := range task.stages {
			if in[s] != nil {
				t.Errorf("%s is in two tasks", s.Title())
			}
			in[s], at[s] = task, i
			if training(s) != (i == 0 && task.lead == s.Name) {
				t.Errorf("%s is number %d of a task that begins with %q", s.Title(), i, task.lead)
			}
		}
		if task.lead == "" {
			others++
		}
		for _, need := range task.needs {
			if need.level >= task.level {
				t.Errorf("a task of level %d needs one of level %d", task.level, need.level)
			}
		}
	}
	for _, s := range p.Stages {
		for _, input := range s.Inputs {
			switch {
			case in[s] == nil || in[input] == nil:
				t.Fatalf("%s or its input is in no task", s.Title())
			case in[s] == in[input] && at[s] < at[input]:
				t.Errorf("%s comes before its input %s", s.Title(), input.Title())
			case in[s] != in[input] && !slices.Contains(in[s].needs, in[input]):
				t.Errorf("the task of %s does not wait for that of %s", s.Title(), input.Title())
			}
		}
	}
	// By hand: all that trains nothing and needs no training; published outputs and human
	// references, which need classifier and language model; and for 2 seeds, 3 Diversity-LSTMs (2
	// weights, and none for vanilla attention): scores of masks, which need one of these and a
	// classifier.
	if others != 1+1+2*3 {
		t.Errorf("%d tasks without a training", others)
	}
	if len(p.Stages) < 3*len(tasks) {
		t.Errorf("%d tasks of %d stages", len(tasks), len(p.Stages))
	}
}

// TestTrainings: what trains by gradients leads tasks, and may be named in [slurm.STAGE]; there is
// no other name.
func TestTrainings(t *testing.T) {
	left := map[string]bool{}
	for _, name := range experiment.Trainings {
		left[name] = true
	}
	models := `"` + strings.Join(experiment.TransferModels, `", "`) + `"`
	for _, s := range planOf(t, "[datasets.d]\nbuiltin = \"demo\"\n[smlm]\n"+
		"models = ["+models+"]\ndecoding = [\"guided\"]\n").Stages {
		if (s.Precision() != "") != training(s) { // by it a machine is checked before anything runs
			t.Errorf("%s asks for precision %q; one of experiment.Trainings: %v", s.Title(), s.Precision(), training(s))
		}
		delete(left, string(s.Name))
	}
	if len(left) > 0 {
		t.Errorf("experiment.Trainings has names that no stage has: %v", left)
	}
}

// TestArrays: tasks of a level that begin with trainings of one name are an array, of at most so
// many; finished and queued stages are left out.
func TestArrays(t *testing.T) {
	p := planOf(t, testkit.SweptStudy)
	tasks := cut(p.Stages)
	count := func(list []*array) (n int) {
		for _, a := range list {
			for _, stages := range a.tasks {
				n += len(stages)
			}
		}
		return n
	}
	all := arrays(tasks, p.Stages, nil)
	if count(all) != len(p.Stages) {
		t.Errorf("%d stages in arrays, want %d", count(all), len(p.Stages))
	}
	place := map[*array]int{}
	for i, a := range all {
		place[a] = i + 1
		for _, before := range a.after {
			if place[before] == 0 {
				t.Errorf("array %d waits for one that comes later", i+1)
			}
		}
	}
	last := p.Stages[len(p.Stages)-1]
	one := arrays(tasks, []*plan.Stage{last}, nil)
	if len(one) != 1 || count(one) != 1 || len(one[0].after) != 0 {
		t.Errorf("one stage to do: %d arrays of %d stages", len(one), count(one))
	}
	queued := map[*plan.Stage]string{}
	for _, in := range last.Inputs {
		queued[in] = "7"
	}
	if a := arrays(tasks, p.Stages, queued); count(a) != len(p.Stages)-len(queued) {
		t.Errorf("%d stages in arrays, want %d", count(a), len(p.Stages)-len(queued))
	}
	if a := arrays(tasks, []*plan.Stage{last}, queued); len(a) != 1 || !slices.Equal(a[0].jobs, []string{"7"}) {
		t.Errorf("the jobs to wait for: %v", a[0].jobs)
	}
	many := make([]*task, mostTasks+1)
	for i := range many {
		many[i] = &task{stages: []*plan.Stage{last}}
	}
	if a := arrays(many, []*plan.Stage{last}, nil); len(a) != 2 || len(a[0].tasks) != mostTasks {
		t.Errorf("%d arrays of %d tasks", len(a), len(many))
	}
}
