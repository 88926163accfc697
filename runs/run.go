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

// Options says what is run, where, and what is reported.
type Options struct {
	Threads int       // threads of a stage; 0: as in the experiment file; if that number is 0 too, one per core
	Devices string    // "": as in the experiment file
	Force   []string  // names, or prefixes of identities, of stages to run again; stages built on them run again too
	Only    []string  // stages to run (as "smlm", "3fa9" or "smlm/3fa9"), with the stages that they need; empty: all
	Quiet   bool      // print no progress; errors are still returned
	Out     io.Writer // for progress and warnings; nil = os.Stderr

	Workers int            // number of processes that run stages, including this one; 0 = 1
	Slurm   bool           // the workers are tasks of a Slurm job array; this process waits for them
	Program string         // path of smlm-exp; needed for several workers and for Slurm
	Backend stages.Backend // nil = stages.Torch

	warned  map[string]bool // warnings about the data that are already printed; not nil
	joined  bool            // this process is a worker of another process's run: it does not retry failed stages
	helpers []*exec.Cmd     // processes that run stages of the same plan; Run starts and ends them
}

// The method filled returns o with defaults for empty fields.
func (o Options) filled() Options {
	if o.Out == nil {
		o.Out = os.Stderr
	}
	if o.Backend == nil {
		o.Backend = stages.Torch{}
	}
	if o.warned == nil {
		o.warned = map[string]bool{}
	}
	return o
}

// check returns an error for options that cannot be combined.
func (o *Options) check() error {
	if o.Slurm && len(o.Force) > 0 {
		return userr.New(userr.BadInput, "--force and --executor slurm cannot be combined, because other "+
			"workers would take for finished what must run again: leave one of them out")
	}
	return nil
}

// Run runs the stages of the study that are not finished, and writes event files for TensorBoard if
// the experiment asks for them.
//
// The errors have the same codes as the errors of the function Run. Tables can be made even if
// stages failed.
func (s *Study) Run(ctx context.Context, o Options) error {
	o = o.filled()
	if err := o.check(); err != nil {
		return err
	}
	todo, err := s.todo(o)
	if err != nil {
		return err
	}
	s.Warn(wording.NewScreen(o.Out))
	o.warned = s.warned
	if !s.Experiment.Track.TensorBoard {
		return s.missing(ctx, todo, o)
	}
	follower, err := track.Follow(s.Plan, track.Every)
	if err != nil {
		return err
	}
	ran := s.missing(ctx, todo, o)
	// If the workspace cannot be used, the error of the stages (the variable "ran") already says
	// so.
	if err := follower.Stop(); err != nil && !userr.Refused(ran) {
		fmt.Fprintf(wording.NewScreen(o.Out), "smlm-exp: %v\n", err)
	}
	return ran
}

// The method missing runs the plan's missing stages, here or on Slurm.
func (s *Study) missing(ctx context.Context, todo []*plan.Stage, o Options) error {
	if o.Slurm {
		command := []string{o.Program, "run", s.Experiment.Path, "--workspace", s.Workspace.Dir}
		ran := slurm.Run(ctx, s.Plan, s.Workspace, todo, slurm.Options{
			Command: append(command, s.again(o)...), Threads: cmp.Or(o.Threads, s.Experiment.Threads),
			Workers: o.Workers, File: s.text, Quiet: o.Quiet, Out: o.Out,
		})
		s.Warn(wording.NewScreen(o.Out)) // print the warnings of stages that the workers ran
		return ran
	}
	if err := s.addWorkers(&o, todo); err != nil {
		return err
	}
	return s.here(ctx, o)
}

// todo lists the stages to run. It returns an error if this machine lacks the device of the run. It
// does not check the device if no stage is to run or if Slurm runs the stages, so that a machine
// without the device can print tables and submit jobs.
func (s *Study) todo(o Options) ([]*plan.Stage, error) {
	todo, err := Todo(s.Plan, s.Workspace, o)
	if err != nil {
		return nil, err
	}
	if len(todo) == 0 || o.Slurm {
		return todo, nil
	}
	precisions := lists.Map(todo, (*plan.Stage).Precision)
	return todo, o.Backend.CheckMachine(cmp.Or(o.Devices, s.Experiment.Devices), precisions)
}

// The method here runs the plan's missing stages in this process.
func (s *Study) here(ctx context.Context, o Options) error {
	return Run(ctx, s.Plan, s.Workspace, o.Backend.Run, o)
}

// addWorkers adds helper processes, so that o.Workers processes run the stages. There are never
// more processes than stages. addWorkers divides the cores among the processes.
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

// The method again returns the options of this run as command-line flags, for the other processes
// that run stages of this run.
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
	return args
}

// WorkerFlag is the flag that makes the command "run" a worker: a process that runs stages for the
// process that the user started.
const WorkerFlag = "worker"

// RunAsWorker runs stages for the process that started this one. It ends when the starting process
// dies or closes the standard input of this process. A failed stage is not an error here, because
// the starting process reads the stage's record.
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
