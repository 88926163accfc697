package runs

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/slurm"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/track"
)

// Options choose what is run, where, and what is told of it.
type Options struct {
	Threads  int       // for a stage; 0 = what the experiment says, whose 0 = all cores
	Devices  string    // "" = what the experiment says
	Force    []string  // names or starts of identities: run these again, and all that builds on them
	Only     []string  // the same ("smlm", "3fa9", "smlm/3fa9"): run these and what they need; empty = everything
	FailFast bool      // stop at the first failed stage
	Quiet    bool      // no progress; errors are still returned
	Out      io.Writer // for progress and warnings; nil = os.Stderr

	Workers int            // processes that run stages side by side, this one among them; 0 = 1
	Slurm   bool           // the workers are tasks of a Slurm job array, and this process waits for them
	Program string         // path that starts smlm-exp; more than one worker and Slurm's need it
	Backend stages.Backend // nil = stages.Torch

	joined  bool        // a run that others began: what has failed is not tried again
	helpers []*exec.Cmd // other processes that run the same plan's stages; Run starts and ends them
}

// filled is o with what it leaves out.
func (o Options) filled() Options {
	if o.Out == nil {
		o.Out = os.Stderr
	}
	if o.Backend == nil {
		o.Backend = stages.Torch{}
	}
	return o
}

// check refuses options that do not go together.
func (o *Options) check() error {
	if o.Slurm && len(o.Force) > 0 {
		return userr.New(userr.BadInput, "--force and --executor slurm cannot be combined, because other "+
			"workers would take for finished what must run again: leave one of them out")
	}
	return nil
}

// Run runs what the study lacks, with event files for TensorBoard if the experiment wants them. The
// workspace keeps the experiment's file, by whose name other commands find it.
//
// The errors are those of the function Run; of a study that was run to its end, with failed stages
// or without, tables can be made.
func (s *Study) Run(ctx context.Context, o Options) error {
	o = o.filled()
	if err := o.check(); err != nil {
		return err
	}
	ran := s.tracked(ctx, o)
	if userr.Refused(ran) || userr.CodeOf(ran) == userr.Interrupted {
		return ran
	}
	if err := s.note(o.Only); err != nil {
		fmt.Fprintf(wording.NewShown(o.Out), "smlm-exp: `transfer` will not find the experiment by its name: "+
			"%v\n", err)
	}
	return ran
}

// tracked runs the plan's missing stages, and writes event files meanwhile if they are wanted.
func (s *Study) tracked(ctx context.Context, o Options) error {
	todo, err := s.todo(o)
	if err != nil {
		return err
	}
	s.Warn(wording.NewShown(o.Out))
	if !s.Experiment.Track.TensorBoard {
		return s.missing(ctx, todo, o)
	}
	follower, err := track.Follow(s.Plan, track.Every)
	if err != nil {
		return err
	}
	ran := s.missing(ctx, todo, o)
	// If the workspace cannot be used, ran says so.
	if err := follower.Stop(); err != nil && !userr.Refused(ran) {
		fmt.Fprintf(wording.NewShown(o.Out), "smlm-exp: %v\n", err)
	}
	return ran
}

// missing runs the plan's missing stages, here or on Slurm.
func (s *Study) missing(ctx context.Context, todo []*plan.Stage, o Options) error {
	if o.Slurm {
		command := []string{o.Program, "run", s.Experiment.Path, "--workspace", s.Workspace.Dir}
		return slurm.Run(ctx, s.Plan, s.Workspace, todo, slurm.Options{
			Command: append(command, s.again(o)...), Threads: cmp.Or(o.Threads, s.Experiment.Threads),
			Workers: o.Workers, File: s.text, FailFast: o.FailFast, Quiet: o.Quiet, Out: o.Out,
		})
	}
	if err := s.addWorkers(&o, todo); err != nil {
		return err
	}
	return s.here(ctx, o)
}

// todo lists what is to run, and refuses a plan that cannot be run on this machine: a machine
// without the file's device prints the tables of what is finished too, and submits to others.
func (s *Study) todo(o Options) ([]*plan.Stage, error) {
	todo, err := Todo(s.Plan, s.Workspace, o)
	if err != nil {
		return nil, err
	}
	if err := s.Plan.Check(todo); err != nil || len(todo) == 0 || o.Slurm {
		return todo, err
	}
	precisions := lists.Map(todo, (*plan.Stage).Precision)
	return todo, o.Backend.CheckMachine(cmp.Or(o.Devices, s.Experiment.Devices), precisions)
}

// here runs the plan's missing stages in this process.
func (s *Study) here(ctx context.Context, o Options) error {
	return Run(ctx, s.Plan, s.Workspace, o.Backend.Run, o)
}

// addWorkers adds to a run the other processes that Workers asks for, but no more than stages to
// run, and gives each its share of the cores.
func (s *Study) addWorkers(o *Options, todo []*plan.Stage) error {
	n := min(o.Workers, len(todo))
	if n < 2 {
		return nil
	}
	if len(o.Force) > 0 {
		return userr.New(userr.BadInput, "--force and --workers cannot be combined, because other processes "+
			"would take for finished what must run again: leave one of them out")
	}
	share := max(1, runtime.NumCPU()/n)
	o.Threads = min(share, cmp.Or(o.Threads, s.Experiment.Threads, share))
	args := []string{
		"run", s.Experiment.Path, "--" + WorkerFlag, "--quiet", "--threads", strconv.Itoa(o.Threads),
		"--workspace", s.Workspace.Dir,
	}
	args = append(args, s.again(*o)...)
	for range n - 1 {
		o.helpers = append(o.helpers, exec.Command(o.Program, args...))
	}
	return nil
}

// again are the options of this run that another process of it needs.
func (s *Study) again(o Options) (args []string) {
	for _, list := range []struct {
		flag   string
		values []string
	}{{"set", s.file.Set}, {"dataset", s.file.Datasets}, {"only", o.Only}} {
		for _, value := range list.values {
			args = append(args, "--"+list.flag, value)
		}
	}
	if o.Devices != "" {
		args = append(args, "--devices", o.Devices)
	}
	if o.FailFast {
		args = append(args, "--fail-fast")
	}
	return args
}

// WorkerFlag is the option of the command run by which a process is started that runs stages beside
// the one that was asked for workers.
const WorkerFlag = "worker"

// RunAsWorker runs stages beside the process that started this one and holds its standard input
// open: it ends when that process does, which finds failed stages by their records.
func (s *Study) RunAsWorker(ctx context.Context, in io.Reader, o Options) error {
	o = o.filled()
	if _, err := s.todo(o); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, in)
		cancel()
	}()
	err := s.here(ctx, o)
	if code := userr.CodeOf(err); code == userr.Interrupted || code == userr.StageFailed && !userr.Refused(err) {
		return nil
	}
	return err
}

// RunOnSlurm runs stages as a worker that slurm.Run submitted.
func (s *Study) RunOnSlurm(ctx context.Context, o Options) error {
	o = o.filled()
	o.joined = true
	if _, err := s.todo(o); err != nil {
		return err
	}
	return s.here(ctx, o)
}
