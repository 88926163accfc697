package slurm

import (
	"cmp"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// mostTasks is how many tasks an array may have where a cluster says nothing else (MaxArraySize).
const mostTasks = 1000

// array is a job array: tasks of one level that begin with the same kind of training.
type array struct {
	lead  stage.Kind
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
		lead  stage.Kind
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
