package slurm

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/testkit/fakebackend"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// TestMain lets this test binary also act as the program that a worker runs.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "run" {
		err := program(os.Args[2:])
		if err != nil {
			fmt.Fprintln(os.Stderr, "smlm-exp:", err)
		}
		os.Exit(int(userr.CodeOf(err)))
	}
	os.Exit(m.Run())
}

// program acts as the command `smlm-exp run FILE` of a worker. Each of its stages writes one small
// file.
func program(args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	flags := flag.NewFlagSet("run", flag.ExitOnError)
	file := flags.String(WorkerFlag, "", "")
	threads := 0
	flags.IntVar(&threads, "threads", 0, "")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	return RunWorker(ctx, args[0], *file, threads, oneStage)
}

// Functions of package runs. They are set in runs_test.go, because package runs imports this
// package. RunWorker runs stages as a worker, RunHere runs a plan in this process, and Todo lists
// the stages to run.
var (
	RunWorker func(ctx context.Context, file, copied string, threads int, code stage.Func) error
	RunHere   func(ctx context.Context, p *plan.Plan, ws *workspace.Workspace, code stage.Func) error
	Todo      func(p *plan.Plan, ws *workspace.Workspace) ([]*plan.Stage, error)
)

// locally runs a plan in this process.
func locally(ctx context.Context, p *plan.Plan, ws *workspace.Workspace) error {
	return RunHere(ctx, p, ws, oneStage)
}

// oneStage is the code of every stage. It writes one file and notes that the stage ran. Two files
// in the folder of the fake Slurm change this. With the file fail.NAME, the stage fails. With the
// file wait.NAME, the stage waits until that file is removed; on a signal, it leaves a checkpoint
// and stops.
func oneStage(ctx context.Context, job *stage.Job) error {
	said := func(what string) string {
		return filepath.Join(os.Getenv("FAKE_SLURM"), what+"."+string(job.Name))
	}
	there := func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	}
	if there(said("fail")) {
		if err := note("tried", job); err != nil {
			return err
		}
		return errors.New("the loss is not a number")
	}
	checkpoint := filepath.Join(job.Scratch, "checkpoint-1-1")
	if there(said("wait")) && !there(checkpoint) {
		task := os.Getenv("SLURM_ARRAY_JOB_ID") + "_" + os.Getenv("SLURM_ARRAY_TASK_ID")
		if err := os.WriteFile(said("waits"), []byte(task), 0o644); err != nil {
			return err
		}
		for there(said("wait")) && ctx.Err() == nil {
			time.Sleep(10 * time.Millisecond)
		}
		if ctx.Err() != nil {
			return errors.Join(os.WriteFile(checkpoint, nil, 0o644), ctx.Err())
		}
	}
	if err := note("ran", job); err != nil {
		return err
	}
	return fakebackend.OneFile(job)
}

// note adds a stage to a list in the fake Slurm's folder.
func note(list string, job *stage.Job) error {
	f, err := os.OpenFile(filepath.Join(os.Getenv("FAKE_SLURM"), list), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintln(f, string(job.Name)+"/"+job.ID)
	return err
}
