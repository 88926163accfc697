package slurm

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// Files of a submission, in a folder of its own below slurm/ of the workspace. N counts its arrays
// from 1 and K the tasks of an array: N.tasks has a line a task, its stages as NAME/IDENTITY; N.sh
// is the script, N.job Slurm's number of the job, N_K.log what task K says.
const (
	tasksExt = ".tasks"
	jobExt   = ".job"
	// textFile is the experiment file as it was when it was submitted.
	textFile = "experiment.toml"
)

// logOf is where task k of an array writes, given the array's file N.tasks.
func logOf(list string, k int) string {
	return fmt.Sprintf("%s_%d.log", strings.TrimSuffix(list, tasksExt), k)
}

// folder makes the folder of a submission.
func folder(ws *workspace.Workspace, text string) (string, error) {
	if err := os.MkdirAll(ws.Path("slurm"), 0o755); err != nil {
		return "", ws.Explain(err, "writing to")
	}
	dir := ws.Path("slurm", time.Now().Format("20060102-150405"))
	err := os.Mkdir(dir, 0o755)
	if os.IsExist(err) {
		if dir, err = os.MkdirTemp(ws.Path("slurm"), filepath.Base(dir)+"-"); err == nil {
			err = os.Chmod(dir, files.Rights(0o777))
		}
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, textFile), []byte(wording.WithoutSecrets(text)), 0o644)
	}
	if err != nil {
		return "", ws.Explain(err, "writing to")
	}
	return dir, nil
}

// submit hands array number n of a submission to Slurm. list is its file N.tasks.
func (r *run) submit(a *array, dir string, n int) (list string, err error) {
	base := filepath.Join(dir, strconv.Itoa(n))
	list = base + tasksExt
	wants := r.plan.Experiment.Slurm.Of(string(a.lead))
	threads := cmp.Or(r.opts.Threads, r.plan.Experiment.Threads)
	cpus := cmp.Or(wants.CPUs, threads, 1)
	threads = min(cmp.Or(threads, cpus), cpus)
	script := r.script(list, threads, wants.Setup)
	for path, text := range map[string]string{list: listing(a.tasks), base + ".sh": script} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return "", r.ws.Explain(err, "writing to")
		}
	}
	args := append(options(a, wants, cpus), "--comment="+r.plan.Experiment.Name+": "+cmp.Or(string(a.lead), "no training"),
		"--output="+strings.ReplaceAll(base, "%", "%%")+"_%a.log")
	out, err := call(context.Background(), "sbatch", append(args, base+".sh")...)
	if err != nil {
		if userr.CodeOf(err) == userr.BadInput {
			return "", err
		}
		return "", userr.New(userr.BadInput, "Slurm refused the job array of %s that start with %s: %v; "+
			"change [slurm] in %s",
			wording.Count(len(a.tasks), "task"), cmp.Or(string(a.lead), "no training"), err, r.plan.Experiment.File)
	}
	if a.id = printed.FindString(out); a.id == "" {
		return "", fmt.Errorf("sbatch printed %q instead of a job number", wording.Clip(out, 80))
	}
	r.jobs = append(r.jobs, a.id)
	if err := os.WriteFile(base+jobExt, []byte(a.id+"\n"), 0o644); err != nil {
		return "", r.ws.Explain(err, "writing to")
	}
	return list, nil
}

// printed is what sbatch --parsable prints: the number, and after a semicolon the cluster's name.
var printed = regexp.MustCompile(`(?m)^\d+`)

// options are those of sbatch, without paths.
func options(a *array, wants experiment.SlurmSettings, cpus int) []string {
	tasks := fmt.Sprintf("1-%d", len(a.tasks))
	if wants.Parallel > 0 {
		tasks += fmt.Sprintf("%%%d", wants.Parallel)
	}
	args := []string{
		"--parsable", "--job-name=" + jobName, "--array=" + tasks, "--cpus-per-task=" + strconv.Itoa(cpus),
		"--requeue", "--open-mode=append", fmt.Sprintf("--signal=B:TERM@%d", wants.Grace),
	}
	for _, o := range []struct{ name, value string }{
		{"partition", wants.Partition},
		{"account", wants.Account},
		{"qos", wants.QOS},
		{"time", wants.Time},
		{"mem", wants.Memory},
		{"gres", wants.GRES},
	} {
		if o.value != "" {
			args = append(args, "--"+o.name+"="+o.value)
		}
	}
	before := slices.Clone(a.jobs)
	for _, b := range a.after {
		before = append(before, b.id)
	}
	slices.SortFunc(before, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	if len(before) > 0 { // whatever became of them: a task looks itself whether its inputs are finished
		args = append(args, "--dependency=afterany:"+strings.Join(before, ":"))
	}
	return append(args, wants.Options...)
}

// listing has a line a task.
func listing(tasks [][]*plan.Stage) string {
	var b strings.Builder
	for _, stages := range tasks {
		for i, s := range stages {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(string(s.Name) + "/" + s.ID)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// script is what a task runs. The program takes the shell's place, so that it gets the signals.
func (r *run) script(list string, threads int, setup []string) string {
	var b strings.Builder
	b.WriteString("#!/bin/bash\n# Written by smlm-exp: task K of this array runs the stages in line K of " +
		strconv.Quote(filepath.Base(list)) + ".\n")
	for _, line := range setup {
		b.WriteString(line + "\n")
	}
	b.WriteString("exec")
	for _, word := range append(r.opts.Command[:len(r.opts.Command):len(r.opts.Command)],
		"--threads", strconv.Itoa(threads), "--"+TaskFlag, list) {
		b.WriteString(" " + wording.ShellWord(wording.WithoutSecrets(word)))
	}
	return b.String() + "\n"
}

// submitted is an array of a submission, read from its folder.
type submitted struct {
	dir, list, job string
}

// submissions reads what was submitted for a workspace and not removed since.
func submissions(ws *workspace.Workspace) []submitted {
	jobs, _ := filepath.Glob(filepath.Join(escaped(ws.Path("slurm")), "*", "*"+jobExt))
	var all []submitted
	for _, path := range jobs {
		if id, err := files.ReadSmall(path); err == nil {
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
		byID[string(s.Name)+"/"+s.ID] = s
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

// mostList is the most bytes of a file N.tasks, of which a stage takes some 80.
const mostList = 8 << 20

// tasksIn reads a file N.tasks; nil where there is none that run wrote.
func tasksIn(list string) (tasks [][]string) {
	if size, _, _, err := files.Stat(list); err != nil || size > mostList {
		return nil
	}
	text, err := files.ReadSmall(list)
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
	text, err := files.ReadSmall(log)
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.TrimPrefix(strings.TrimSpace(lines[len(lines)-1]), jobName+": ")
}
