package slurm

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// TaskFlag is the option that a task is started with: the file N.tasks of its array.
const TaskFlag = "slurm-task"

// TextOf is the experiment file as it was when an array was submitted: who changed it since does
// not change what its tasks run.
func TextOf(list string) string { return filepath.Join(filepath.Dir(list), textFile) }

// Task is this process as a task of a job array.
type Task struct {
	Given  []string // identities of the stages that are its to run
	name   string   // "12_3"
	ws     *workspace.Workspace
	stages []*plan.Stage
	before string // how far they were when it began
}

// OpenTask finds in an array's file what this process is to run.
func OpenTask(list string, p *plan.Plan, ws *workspace.Workspace) (*Task, error) {
	number := os.Getenv("SLURM_ARRAY_TASK_ID")
	k, err := strconv.Atoi(number)
	lines := tasksIn(list)
	if err != nil || k < 1 || k > len(lines) {
		return nil, userr.New(userr.BadInput, "--%s is for tasks that `run --executor slurm` submits, but %q "+
			"has no line %q",
			TaskFlag, list, number)
	}
	t := &Task{ws: ws, name: os.Getenv("SLURM_ARRAY_JOB_ID") + "_" + number}
	for _, name := range lines[k-1] {
		i := slices.IndexFunc(p.Stages, func(s *plan.Stage) bool { return string(s.Name)+"/"+s.ID == name })
		if i < 0 {
			return nil, userr.New(userr.BadInput, "the stage %.100s is not part of this experiment on this "+
				"node: its data have changed since the task was submitted, or the node lacks WordNet, word "+
				"vectors or a folder that other nodes have", name)
		}
		t.stages, t.Given = append(t.stages, p.Stages[i]), append(t.Given, path.Base(name))
	}
	t.before = t.state()
	return t, nil
}

// state tells how far the task's stages are: which are finished, and what checkpoints they have.
func (t *Task) state() string {
	var b strings.Builder
	for _, s := range t.stages {
		fmt.Fprintln(&b, s.ID, t.ws.Done(s))
		_ = filepath.WalkDir(t.ws.ScratchDir(s), func(path string, _ fs.DirEntry, _ error) error {
			fmt.Fprintln(&b, path) // a checkpoint's name counts epochs and steps
			return nil
		})
	}
	return b.String()
}

// Requeue puts an interrupted task back into the queue where its time ends or somebody else needs
// its node, so that it goes on from its checkpoint, and returns what was done, in words. A task
// that was cancelled stays so, and so does one that got no further than it was.
func (t *Task) Requeue() string {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	out, err := call(ctx, "squeue", "--noheader", "--jobs="+t.name, "--format=%T")
	state := strings.TrimSpace(out)
	switch {
	case err != nil:
		return fmt.Sprintf("the task does not return to the queue: %v", err)
	case state != "RUNNING": // cancelled; or pre-empted, and then Slurm puts it back itself
		return "the task ends; its state in Slurm is " + state
	case t.state() == t.before:
		return "the task does not return to the queue, because it made no progress: give [slurm] more time"
	}
	if _, err := call(ctx, "scontrol", "requeue", t.name); err != nil {
		return fmt.Sprintf("the task does not return to the queue: %v", err)
	}
	return "the task is in the queue again and will continue from here"
}
