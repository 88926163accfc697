// Package track writes training curves as TensorBoard event files while a study runs. It reads the
// curves from the workspace, no matter which process wrote them there.
package track

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// Every is the interval at which a Follower reads the workspace while a study runs.
const Every = 2 * time.Second

// eventFile is the name of every event file. TensorBoard looks for "tfevents" in the name and names
// the run after the folder.
const eventFile = "events.out.tfevents.0.smlm-exp"

// Follower writes event files while a study runs. Each training has a folder with one file.
type Follower struct {
	plan    *plan.Plan
	ws      *workspace.Workspace
	folder  string
	written map[*plan.Stage]content
	stop    chan struct{}
	last    chan error // carries the error of the final writes to Stop
}

// content describes what the file of a stage holds.
type content struct {
	steps int
	whole bool // the file is complete: no step will be added
}

// Follow starts writing the event files of a plan's experiment, in a goroutine that Stop ends.
func Follow(p *plan.Plan, every time.Duration) (*Follower, error) {
	e := p.Experiment
	ws, err := workspace.Open(e.Workspace) // its own Workspace, because a Workspace is not safe for concurrent use
	if err != nil {
		return nil, err
	}
	f := &Follower{
		plan: p, ws: ws, folder: filepath.Join(ws.Path("tensorboard"), e.Name),
		written: map[*plan.Stage]content{}, stop: make(chan struct{}), last: make(chan error),
	}
	go f.follow(every)
	return f, nil
}

// Stop writes what is missing and ends the Follower.
func (f *Follower) Stop() error {
	close(f.stop)
	if err := <-f.last; err != nil {
		return fmt.Errorf("the event files in %q are incomplete (%w): the results are complete, and the next run "+
			"writes the rest", f.folder, err)
	}
	return nil
}

func (f *Follower) follow(every time.Duration) {
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
			_ = f.trainings() // errors are ignored here: Stop writes again and returns the error
		case <-f.stop:
			f.last <- f.trainings()
			return
		}
	}
}

// trainings writes the training curves that have new epochs.
func (f *Follower) trainings() error {
	for _, s := range f.plan.Stages {
		if !slices.Contains(stages.Trained(), s.Name) || f.written[s].whole {
			continue
		}
		c, err := f.curve(s)
		now := content{len(c.epochs), c.over}
		if err != nil || now.steps == 0 || now == f.written[s] {
			continue // either no new epoch has ended, or a file is damaged, which is reported elsewhere
		}
		if err := f.write(s, c.steps()); err != nil {
			return err
		}
		f.written[s] = now
	}
	return nil
}

// write writes the steps of a stage to its event file. It overwrites the file in place, so that a
// running TensorBoard that has read part of the file continues from there.
func (f *Follower) write(s *plan.Stage, all []step) error {
	dir := f.dir(s)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	file, err := files.OpenKept(filepath.Join(dir, eventFile))
	if err != nil {
		return err
	}
	defer file.Close()
	text := events(all)
	if _, err := file.WriteAt(text, 0); err != nil {
		return err
	}
	return file.Truncate(int64(len(text)))
}

// dir returns the folder of a stage. The folder's name consists of the stage's name, the beginning
// of its identity and its label. An existing folder is reused, because the label may change when
// the sweep grows.
func (f *Follower) dir(s *plan.Stage) string {
	start := fmt.Sprintf("%s %s", s.Name, s.ID[:12])
	entries, _ := os.ReadDir(f.folder) // the folder may not exist yet
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), start) {
			return filepath.Join(f.folder, entry.Name())
		}
	}
	name := strings.TrimSpace(start + " " + notInNames.ReplaceAllString(s.Label, " "))
	return filepath.Join(f.folder, wording.Clip(name, 120))
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9._,() =-]+`)
