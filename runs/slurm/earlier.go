package slurm

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// submitted is an array of a submission, read from its folder.
type submitted struct {
	dir, list, job string
}

// submissions reads what was submitted for a workspace and not removed since.
func submissions(ws *workspace.Workspace) []submitted {
	files, _ := filepath.Glob(filepath.Join(escaped(ws.Path("slurm")), "*", "*"+jobExt))
	var all []submitted
	for _, path := range files {
		if id, err := os.ReadFile(path); err == nil {
			all = append(all, submitted{
				dir: filepath.Dir(path), list: strings.TrimSuffix(path, jobExt) + tasksExt,
				job: strings.TrimSpace(string(id)),
			})
		}
	}
	return all
}

// escaped is a path as part of a pattern.
func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// earlier finds the stages that tasks of earlier runs will run, as Slurm still has them, and
// removes the folders of submissions of which it has none.
func (r *run) earlier(live []queued) {
	byID := map[string]*plan.Stage{}
	for _, s := range r.todo {
		byID[string(s.Kind)+"/"+s.ID] = s
	}
	there := map[string][]queued{}
	for _, q := range live {
		there[q.job] = append(there[q.job], q)
	}
	kept := map[string]bool{}
	all := submissions(r.ws)
	for _, a := range all {
		kept[a.dir] = kept[a.dir] || len(there[a.job]) > 0
		lines := tasksIn(a.list)
		for _, q := range there[a.job] {
			if q.number < 1 || q.number > len(lines) {
				continue
			}
			for _, name := range lines[q.number-1] {
				if s := byID[name]; s != nil && r.queued[s] == "" {
					r.queued[s], r.logs[s] = a.job, logOf(a.list, q.number)
					r.watched[a.job] = true
				}
			}
		}
	}
	for _, a := range all {
		if !kept[a.dir] {
			_ = os.RemoveAll(a.dir)
		}
	}
}

// tasksIn reads a file N.tasks; nil where there is none.
func tasksIn(list string) (tasks [][]string) {
	text, err := os.ReadFile(list)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		tasks = append(tasks, strings.Fields(line))
	}
	return tasks
}

// lastWords is the last line of a task's log, "" where it has none.
func lastWords(log string) string {
	text, err := os.ReadFile(log)
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.TrimPrefix(strings.TrimSpace(lines[len(lines)-1]), jobName+": ")
}
