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

	"github.com/smlm-exp/smlm-exp/internal/testkit/fakebackend"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// TestMain makes this test binary the program of a task as well.
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

// program is `smlm-exp run FILE` in a task, with stages that write one small file.
func program(args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	flags := flag.NewFlagSet("run", flag.ExitOnError)
	list := flags.String(TaskFlag, "", "")
	threads := 0
	flags.IntVar(&threads, "threads", 0, "")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	return RunTask(ctx, args[0], *list, threads, oneStage)
}

// What the tests have of package runs, which imports this one: it runs the stages of a task, and
// those of a plan in this process, and says what is to run.
var (
	RunTask func(ctx context.Context, file, list string, threads int, code stage.Func) error
	RunHere func(ctx context.Context, p *plan.Plan, ws *workspace.Workspace, code stage.Func) error
	Todo    func(p *plan.Plan, ws *workspace.Workspace) ([]*plan.Stage, error)
)

// locally runs a plan in this process.
func locally(ctx context.Context, p *plan.Plan, ws *workspace.Workspace) error {
	return RunHere(ctx, p, ws, oneStage)
}

// oneStage writes one file, notes that it ran, and does what files in the fake
// Slurm's folder say: fail.NAME, and wait.NAME until the first signal, at which it leaves a
// checkpoint.
func oneStage(ctx context.Context, job *stage.Job) error {
	said := func(what string) string {
		return filepath.Join(os.Getenv("FAKE_SLURM"), what+"."+string(job.Name))
	}
	there := func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	}
	if there(said("fail")) {
		return errors.New("the loss is not a number")
	}
	checkpoint := filepath.Join(job.Scratch, "checkpoint-1-1")
	if there(said("wait")) && !there(checkpoint) {
		if err := os.WriteFile(said("waits"), []byte(os.Getenv("SLURM_ARRAY_JOB_ID")+"_"+os.Getenv("SLURM_ARRAY_TASK_ID")), 0o644); err != nil {
			return err
		}
		<-ctx.Done()
		if !there(said("stuck")) {
			if err := os.WriteFile(checkpoint, nil, 0o644); err != nil {
				return err
			}
		}
		return ctx.Err()
	}
	ran, err := os.OpenFile(filepath.Join(os.Getenv("FAKE_SLURM"), "ran"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer ran.Close()
	if _, err := fmt.Fprintln(ran, string(job.Name)+"/"+job.ID); err != nil {
		return err
	}
	return fakebackend.OneFile(job)
}
