package runs

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/smlm-exp/smlm-exp/runs/search"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// Study is an experiment file, the stages that it needs and the workspace that they lie in.
type Study struct {
	Experiment *experiment.Experiment
	Plan       *plan.Plan
	Workspace  *workspace.Workspace

	file File
	text []byte // of the experiment file
}

// File names an experiment file, and what is said in place of what stands in it.
type File struct {
	Path      string
	Copy      string   // the file that is read, with Path as its name and folder; "" = Path itself
	Set       []string // KEY=VALUE, "masking.lambda_eps=[0,0.15]"
	Datasets  []string // names of data sets to keep to; empty = all
	Workspace string   // folder; "" = the file's
	More      []string // as Set, and comes after it: what the caller needs whatever its user says
	Last      bool     // with the overrides and data sets of its last whole run; Set comes after
}

// load reads the experiment, with more overrides last.
func (f *File) load(more ...string) (*experiment.Experiment, error) {
	e, err := experiment.LoadCopy(f.Path, f.Copy, slices.Concat(f.Set, f.More, more))
	if err != nil {
		return nil, err
	}
	return e, e.Only(f.Datasets)
}

// last is f with the overrides and data sets of its last whole run.
func (f File) last() (File, error) {
	e, err := f.load()
	if err != nil {
		return f, err
	}
	ws, err := workspace.Open(cmp.Or(f.Workspace, e.Workspace))
	if err != nil {
		return f, err
	}
	text, err := files.ReadSmall(f.Copy)
	if err != nil {
		return f, err
	}
	ran := ws.LastRun(e.Path, text, f.Datasets)
	if ran == nil {
		return f, userr.New(userr.BadInput, "--last: no whole run of %s has ended in the workspace %q: leave "+
			"it out, or name that run's workspace with --workspace", f.Path, ws.Dir)
	}
	if len(f.Datasets) == 0 {
		f.Datasets = ran.Datasets
	}
	f.Set = slices.Concat(ran.Set, f.Set)
	return f, nil
}

// Open reads an experiment file, plans it and opens its workspace. What is wrong with the file or
// the data is said all at once, a line each (userr.BadInput).
func Open(f File) (*Study, error) {
	if f.Copy == "" {
		f.Copy = f.Path
	}
	var err error
	if f.Last {
		if f, err = f.last(); err != nil {
			return nil, err
		}
	}
	e, err := f.load()
	if err != nil {
		return nil, err
	}
	if f.Workspace != "" {
		own := e.Workspace
		if e.Workspace, err = filepath.Abs(f.Workspace); err != nil {
			return nil, err
		}
		e.Elsewhere = e.Workspace != own
	}
	s := &Study{Experiment: e, file: f}
	if s.text, err = files.ReadSmall(f.Copy); err != nil {
		return nil, err
	}
	ws, unopened := workspace.Open(e.Workspace)
	if unopened == nil {
		end := ws.Ahead() // while the data are read and the plan is made
		defer end()
	}
	// All of a plan stays: to look for garbage each time that it has doubled is a quarter of the
	// work.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	if s.Plan, err = plan.New(e); err != nil {
		return nil, err
	}
	if s.Workspace = ws; unopened != nil {
		return nil, unopened
	}
	s.Plan, _, err = search.Grow(s.Plan, s.Workspace)
	return s, err
}

// PlanWith plans the experiment with more overrides, of models and not of data, which are not read
// again.
func (s *Study) PlanWith(more ...string) (*plan.Plan, error) {
	e, err := s.file.load(more...)
	if err != nil {
		return nil, err
	}
	e.Workspace, e.Elsewhere = s.Experiment.Workspace, s.Experiment.Elsewhere
	p, err := s.Plan.Reread(e)
	if err != nil {
		return nil, err
	}
	p, _, err = search.Grow(p, s.Workspace)
	return p, err
}

// Results gathers what the finished stages measured.
func (s *Study) Results() (*results.Results, error) { return results.Collect(s.Plan, s.Workspace) }

// note keeps the experiment's file in the workspace, so that commands find it by its name. A run
// that was not of all stages says which those were.
func (s *Study) note(only []string) error {
	e := s.Experiment
	return s.Workspace.NoteExperiment(workspace.Ran{
		Name: e.Name, File: e.Path, Set: e.Set, Datasets: e.Kept(), Only: only, Ended: time.Now().UTC(),
	}, s.text)
}

// Warn writes what the data have that is seldom meant, a line each.
func (s *Study) Warn(w io.Writer) {
	for _, warning := range s.Plan.Warnings() {
		fmt.Fprintf(w, "smlm-exp: %s\n", warning)
	}
}

// WarnOfName writes that another file has the experiment's name in the workspace, so that what is
// written there under it replaces that of the other.
func (s *Study) WarnOfName(w io.Writer) {
	e := s.Experiment
	if other := s.Workspace.NamedBy(e.Name, e.Path, s.text); other != "" {
		fmt.Fprintf(w, "smlm-exp: in the workspace %q the name %q, with its tables, figures and page, "+
			"belonged to %q: those of %q overwrite them, and finished stages stay; to keep both, change "+
			"`name` in one of the two files\n", s.Workspace.Dir, e.Name, other, e.Path)
	}
}

// LastRun returns the last whole run of the study's file, nil where there is none or where it made
// what the study has: its overrides, where it had some, come to the same settings.
func (s *Study) LastRun() *workspace.Ran {
	e := s.Experiment
	ran := s.Workspace.LastRun(e.Path, s.text, s.file.Datasets)
	if ran == nil {
		return nil
	}
	f := s.file
	f.Set = ran.Set
	other, err := f.load() // the file may have changed so that they fit it no more
	if err == nil && other.Text() == e.Text() && reflect.DeepEqual(other.Report, e.Report) {
		return nil
	}
	return ran
}

// TellRun writes which settings the study has where somebody may mean others: those of the last
// run, where they were asked for, or else where it had overrides and the study has none. does says
// what --last does then.
func (s *Study) TellRun(w io.Writer, does string) {
	if s.file.Last {
		if set := experiment.Overriding(s.file.Set); set != "" {
			fmt.Fprintf(w, "smlm-exp: %s is read with%s, as in its last whole run\n", s.file.Path, set)
		}
		return
	}
	if len(s.file.Set) > 0 {
		return
	}
	if ran := s.LastRun(); ran != nil && len(ran.Set) > 0 {
		fmt.Fprintf(w, "smlm-exp: %s is read as it stands, but its last whole run had%s: --last %s\n", s.file.Path,
			experiment.Overriding(ran.Set), does)
	}
}

// OneDataset returns the name of the only data set of a study, and refuses one of several.
func (s *Study) OneDataset() (string, error) {
	sets := s.Experiment.Datasets
	if len(sets) > 1 {
		return "", userr.New(userr.BadInput, "--dataset must name one data set: %s has %s and %d more",
			s.Experiment.File, sets[0].Name, len(sets)-1)
	}
	return sets[0].Name, nil
}
