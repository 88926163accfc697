package slurm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// task is a chain of stages that one task of a job array runs: a training and what rides along.
type task struct {
	level  int
	lead   stage.Name // the training that it begins with; "" where it trains nothing
	stages []*plan.Stage
	needs  []*task // of lower levels
}

// cut lays a plan's stages out as tasks. A training begins a task, one level below the deepest that
// it needs. Any other stage rides along with the deepest task that it needs, so that masks, outputs
// and scores cost no job of their own; where there are several as deep it begins a task, which it
// shares with those that need the same. All that needs nothing is one task.
func cut(stages []*plan.Stage) []*task {
	var all []*task
	in := map[*plan.Stage]*task{}
	shared := map[string]*task{} // by the tasks that they wait for
	number := map[*task]int{}
	for _, s := range stages {
		deepest, level := deepest(s, in)
		var t *task
		switch {
		case training(s):
			t = &task{level: level + 1, lead: s.Name}
		case len(deepest) == 1:
			t = deepest[0]
		default:
			key := lists.Map(deepest, func(d *task) string { return fmt.Sprint(number[d]) })
			slices.Sort(key)
			name := strings.Join(key, " ")
			if shared[name] == nil {
				shared[name] = &task{level: level + 1}
			}
			t = shared[name]
		}
		if len(t.stages) == 0 {
			number[t] = len(all)
			all = append(all, t)
		}
		t.stages, in[s] = append(t.stages, s), t
		for _, input := range s.Inputs {
			if of := in[input]; of != t && !slices.Contains(t.needs, of) {
				t.needs = append(t.needs, of)
			}
		}
	}
	return all
}

func training(s *plan.Stage) bool { return slices.Contains(experiment.Trainings, string(s.Name)) }

// deepest lists the tasks of the greatest level that a stage needs; the level is -1 of none.
func deepest(s *plan.Stage, in map[*plan.Stage]*task) (list []*task, level int) {
	level = -1
	for _, input := range s.Inputs {
		t := in[input]
		if t.level > level {
			list, level = nil, t.level
		}
		if t.level == level && !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	return list, level
}

// mostTasks is how many tasks an array may have where a cluster says nothing else (MaxArraySize).
const mostTasks = 1000

// array is a job array: tasks of one level that begin with trainings of the same name.
type array struct {
	lead  stage.Name
	tasks [][]*plan.Stage
	after []*array // that end before it starts
	jobs  []string // the same of earlier runs
	id    string   // Slurm's, once it is submitted
}

// arrays gathers what is left to do of tasks into arrays, those before that others wait for. queued
// are the jobs of earlier runs that will run a stage.
func arrays(tasks []*task, todo []*plan.Stage, queued map[*plan.Stage]string) []*array {
	type group struct {
		level int
		lead  stage.Name
	}
	wanted := map[*plan.Stage]bool{}
	for _, s := range todo {
		wanted[s] = true
	}
	var all []*array
	open, of := map[group]*array{}, map[*task]*array{}
	byLevel := slices.Clone(tasks)
	slices.SortStableFunc(byLevel, func(a, b *task) int { return cmp.Compare(a.level, b.level) })
	for _, t := range byLevel {
		stages := lists.Where(t.stages, func(s *plan.Stage) bool { return wanted[s] && queued[s] == "" })
		if len(stages) == 0 {
			continue
		}
		g := group{t.level, t.lead}
		a := open[g]
		if a == nil || len(a.tasks) == mostTasks {
			a = &array{lead: t.lead}
			open[g] = a
			all = append(all, a)
		}
		a.tasks, of[t] = append(a.tasks, stages), a
		for _, need := range t.needs {
			if before := of[need]; before != nil && !slices.Contains(a.after, before) {
				a.after = append(a.after, before)
			}
		}
		for _, s := range stages {
			for _, input := range s.Inputs {
				if job := queued[input]; job != "" && !slices.Contains(a.jobs, job) {
					a.jobs = append(a.jobs, job)
				}
			}
		}
	}
	return all
}
