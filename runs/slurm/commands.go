package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// WorkerFlag is the option that a worker is started with. Its value is the path of a copy of the
// experiment file, so changing the original while workers wait does not change what they run.
const WorkerFlag = "slurm-worker"

// submit submits the job array to Slurm. The script, the copy of the experiment file and the logs
// (K.log of worker K) are in a new folder.
func (r *run) submit() error {
	if err := os.MkdirAll(r.ws.Path("slurm"), 0o755); err != nil {
		return r.ws.Explain(err, "writing to")
	}
	dir, err := os.MkdirTemp(r.ws.Path("slurm"), time.Now().Format("20060102-150405-"))
	if err == nil {
		err = os.Chmod(dir, files.Rights(0o777))
	}
	script, file := filepath.Join(dir, "worker.sh"), filepath.Join(dir, "experiment.toml")
	if err == nil {
		err = os.WriteFile(file, r.opts.File, 0o644)
	}
	if err == nil {
		err = os.WriteFile(script, []byte(r.script(file)), 0o644)
	}
	if err != nil {
		return r.ws.Explain(err, "writing to")
	}
	n := min(max(r.opts.Workers, 1), len(r.todo))
	args := []string{
		"--job-name=smlm-exp", "--requeue", "--open-mode=append", "--signal=B:TERM@120",
		"--output=" + strings.ReplaceAll(dir, "%", "%%") + "/%a.log",
	}
	args = append(args, r.plan.Experiment.Slurm.Options...) // if an option is given twice, the last one counts
	args = append(args, "--parsable", fmt.Sprintf("--array=1-%d", n), script)
	out, err := call(context.Background(), "sbatch", args...)
	if userr.CodeOf(err) == userr.BadInput {
		return err
	} else if err != nil {
		return userr.New(userr.BadInput, "Slurm refused the job array: %v; change slurm.options in %s", err,
			r.plan.Experiment.File)
	}
	if r.job = printed.FindString(out); r.job == "" {
		return fmt.Errorf("sbatch printed %q instead of a job number", wording.Clip(out, 80))
	}
	r.dir = dir
	r.say(fmt.Sprintf("slurm: %s submitted, job %s; their logs are in %s", wording.Count(n, "worker"), r.job, dir))
	return nil
}

// The expression "printed" matches the job number in the output of sbatch --parsable, which is
// "NUMBER[;CLUSTER]".
var printed = regexp.MustCompile(`(?m)^\d+`)

// script returns a worker's script. The script replaces its shell by the program (exec), so that
// Slurm's signals reach the program.
func (r *run) script(file string) string {
	var b strings.Builder
	b.WriteString("#!/bin/bash\n")
	for _, line := range r.plan.Experiment.Slurm.Setup {
		b.WriteString(line + "\n")
	}
	b.WriteString("exec " + wording.Command(r.opts.Command...))
	threads := `"$SLURM_CPUS_ON_NODE"`
	if r.opts.Threads > 0 {
		threads = strconv.Itoa(r.opts.Threads)
	}
	b.WriteString(" --threads " + threads + " --" + WorkerFlag + " " + wording.ShellWord(file) + "\n")
	return b.String()
}

// call runs a Slurm command and returns its output. If the command fails, the error has the first
// line that the command wrote to standard error.
func call(ctx context.Context, name string, args ...string) (string, error) {
	var out, errs bytes.Buffer
	c := exec.CommandContext(ctx, name, args...)
	c.Stdout, c.Stderr = &out, &errs
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C reaches only this program, not the Slurm command
	err := c.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return "", userr.New(userr.BadInput, "the command %s was not found: run this on a machine that can "+
			"submit Slurm jobs, or leave out --executor slurm", name)
	}
	if said := strings.TrimSpace(errs.String()); err != nil && said != "" {
		err = errors.New(strings.TrimPrefix(wording.FirstLine(said), name+": "))
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return out.String(), nil
}

// queue counts the workers of a job array by state, such as "PENDING" or "RUNNING". It counts only
// workers that Slurm still knows.
func queue(ctx context.Context, job string) (map[string]int, error) {
	// Query all jobs of the user, because squeue returns an error for a job that it no longer
	// knows.
	out, err := call(ctx, "squeue", "--noheader", "--array", "--user="+strconv.Itoa(os.Getuid()), "--format=%F %T")
	if err != nil {
		return nil, err
	}
	states := map[string]int{}
	for line := range strings.Lines(out) {
		if of, state, _ := strings.Cut(strings.TrimSpace(line), " "); of == job {
			states[state]++
		}
	}
	return states, nil
}

// cancel asks Slurm to end the workers of an array. The options can restrict this to some of the
// workers.
func cancel(job string, options ...string) error {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	_, err := call(ctx, "scancel", append(options, job)...)
	return err
}
