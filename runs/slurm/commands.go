package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// jobName is what every job is called, so that one question finds all that a user has.
const jobName = "smlm-exp"

// queued is a task that Slurm still has.
type queued struct {
	job    string // of its array
	number int    // in its array
	state  string // "PENDING", "RUNNING", ...
	reason string // why it waits
}

// call runs a command of Slurm and returns what it prints. The error is its first line on standard
// error.
func call(ctx context.Context, name string, args ...string) (string, error) {
	var out, errs bytes.Buffer
	c := exec.CommandContext(ctx, name, args...)
	c.Stdout, c.Stderr = &out, &errs
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is for this program
	err := c.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return "", userr.New(userr.BadInput, "the command %s was not found: run this on a machine that can "+
			"submit Slurm jobs, or leave out --executor slurm", name)
	}
	if said := strings.TrimSpace(errs.String()); err != nil && said != "" {
		err = errors.New(wording.FirstLine(said))
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return out.String(), nil
}

// queue lists this user's tasks of the program, of all workspaces.
func queue(ctx context.Context) ([]queued, error) {
	out, err := call(ctx, "squeue", "--noheader", "--array", "--name="+jobName, "--user="+strconv.Itoa(os.Getuid()),
		"--format=%i|%T|%r")
	if err != nil {
		return nil, err
	}
	var list []queued
	for line := range strings.Lines(out) {
		fields := strings.SplitN(strings.TrimSpace(line), "|", 3)
		job, number, _ := strings.Cut(fields[0], "_")
		n, err := strconv.Atoi(number)
		if len(fields) != 3 || err != nil {
			continue // a job that is no array is none of this program's
		}
		list = append(list, queued{job: job, number: n, state: fields[1], reason: fields[2]})
	}
	return list, nil
}

// cancel asks Slurm to end jobs, or with an option only some of their tasks.
func cancel(ctx context.Context, jobs []string, options ...string) error {
	if len(jobs) == 0 {
		return nil
	}
	_, err := call(ctx, "scancel", append(options, jobs...)...)
	return err
}

// named is jobs in a sentence: "jobs 3, 4".
func named(jobs []string) string {
	if len(jobs) == 1 {
		return "job " + jobs[0]
	}
	return "jobs " + strings.Join(jobs, ", ")
}
