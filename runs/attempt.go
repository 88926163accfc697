package runs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// attempt is one attempt to run a stage. It has a temporary folder, which becomes the stage's
// folder or is removed.
type attempt struct {
	ws     *workspace.Workspace
	stage  *plan.Stage
	record *stage.Record
	dir    string // the temporary folder, in tmp/; it is renamed if the stage succeeds
	log    *os.File
}

// runStage runs one stage and moves its folder into place. After an error, stages/ contains nothing
// of this attempt. A failed attempt leaves its record and log under failed/, unless ctx ended.
func (r *runner) runStage(ctx context.Context, s *plan.Stage) error {
	for _, in := range s.Inputs {
		if err := r.ws.Whole(in); err != nil {
			return err
		}
	}
	record := workspace.NewRecord(s, r.threads)
	a := &attempt{ws: r.ws, stage: s, record: record}
	if err := a.open(); err != nil {
		return err
	}
	defer a.discard()
	job := a.job(r)
	err := call(ctx, r.code, job)
	if err == nil {
		err = r.plan.Unchanged(s)
	}
	record.Used, record.Warnings = job.Used, job.Warnings
	record.Finish(err)
	if err == nil && s.Matches(r.opts.Force) {
		// First remove all stages that were built on the old result of s, then put the new folder
		// in place. A crash between the two steps loses stages, but no stage that was built on the
		// old result remains.
		err = r.ws.Invalidate(s)
	}
	if err == nil {
		err = a.commit()
	}
	if err != nil && ctx.Err() == nil {
		record.Finish(err)
		a.fail()
	}
	return err
}

// open creates the folders and the log of the attempt.
func (a *attempt) open() (err error) {
	tmp := a.ws.Path("tmp")
	if a.dir, err = os.MkdirTemp(tmp, string(a.stage.Name)+"-"); err != nil {
		return fmt.Errorf("starting %s: %w", a.stage.Short(), err)
	}
	if err = os.Chmod(a.dir, files.Rights(0o777)); err == nil {
		err = os.MkdirAll(a.ws.ScratchDir(a.stage), 0o755)
	}
	if err == nil {
		a.log, err = os.Create(a.dir + ".log")
	}
	if err != nil {
		_ = os.RemoveAll(a.dir)
		return fmt.Errorf("starting %s: %w", a.stage.Short(), err)
	}
	return nil
}

// discard removes the attempt's folder and log, unless commit or fail has moved them.
func (a *attempt) discard() {
	_ = a.log.Close()
	_ = os.RemoveAll(a.dir)
	_ = os.Remove(a.log.Name())
}

func (a *attempt) job(r *runner) *stage.Job {
	inputs := map[string]string{}
	for name, in := range a.stage.Inputs {
		inputs[name] = a.ws.StageDir(in)
	}
	return &stage.Job{
		Name: a.stage.Name, ID: a.stage.ID, Dir: a.dir, Scratch: a.ws.ScratchDir(a.stage), Inputs: inputs,
		Sources: a.stage.Sources, Settings: a.record.Settings, Threads: r.threads, Devices: r.devices, Every: r.every,
		Progress: r.progress.update, Warned: r.progress.warnOnce, Log: slog.New(slog.NewMultiHandler(
			slog.NewTextHandler(a.log, nil),
			slog.NewTextHandler(r.progress, &slog.HandlerOptions{Level: slog.LevelWarn}),
		)),
	}
}

// call runs the function f. If f panics, call logs the stack and returns an error.
func call(ctx context.Context, f stage.Func, job *stage.Job) (err error) {
	defer func() {
		if p := recover(); p != nil {
			job.Log.Error("panic", "value", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("a bug in smlm-exp: %v (the log has the stack)", p)
		}
	}()
	return f(ctx, job)
}

// commit writes stage.json into the folder, syncs all files and renames the folder into place.
// Therefore a folder under stages/ is always complete.
func (a *attempt) commit() error {
	entries, err := os.ReadDir(a.dir)
	if err != nil {
		return fmt.Errorf("checking what the stage wrote: %w", err)
	}
	if len(entries) == 0 {
		return errors.New("it ended without an error and without writing anything")
	}
	if info, err := a.log.Stat(); err == nil && info.Size() > 0 {
		if err := os.Rename(a.log.Name(), filepath.Join(a.dir, "log.txt")); err != nil {
			return fmt.Errorf("keeping the log: %w", err)
		}
	}
	if err := stage.Seal(a.dir, a.record); err != nil {
		return err
	}
	if err := syncTree(a.dir); err != nil {
		return err
	}
	final := a.ws.StageDir(a.stage)
	if err := os.MkdirAll(filepath.Dir(final), 0o755); err != nil {
		return fmt.Errorf("putting the stage in place: %w", err)
	}
	if err := a.ws.Remove(final); err != nil { // an older result exists only if the stage was forced
		return err
	}
	if err := os.Rename(a.dir, final); err != nil {
		return fmt.Errorf("putting the stage in place: %w", err)
	}
	_ = syncDir(filepath.Dir(final)) // errors do not matter: at worst, a crash loses the whole stage
	_ = os.RemoveAll(a.ws.ScratchDir(a.stage))
	_ = os.Remove(a.ws.FailedPath(a.stage, ".json"))
	_ = os.Remove(a.ws.FailedPath(a.stage, ".log"))
	return nil
}

// fail moves the record and log of a failed attempt to failed/. It ignores errors in doing so, such
// as a full disk, because the run already reports why the stage failed.
func (a *attempt) fail() {
	_ = stage.WriteRecord(a.ws.FailedPath(a.stage, ".json"), a.record)
	log := a.log.Name()
	if _, err := os.Stat(log); err != nil {
		log = filepath.Join(a.dir, "log.txt")
	}
	_ = os.Rename(log, a.ws.FailedPath(a.stage, ".log"))
}

// syncTree syncs every file and folder under dir.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return syncDir(path)
	})
}

// syncDir syncs one file or folder.
func syncDir(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("syncing: %w", err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return fmt.Errorf("syncing %q: %w", path, err)
	}
	return nil
}
