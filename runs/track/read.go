package track

import (
	"os"
	"path/filepath"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// step is what TensorBoard shows at one step.
type step struct {
	number int // optimizer steps of a training, 0 of scores
	time   time.Time
	values map[string]float64
}

// Curve is what a training has done so far.
type Curve struct {
	stages.History
	Over bool      // the training is finished; otherwise Best is not known
	End  time.Time // of the last epoch
}

// ReadCurve reads the curve of a training, which may still run.
func ReadCurve(ws *workspace.Workspace, s *plan.Stage) (c Curve, err error) {
	if ws.Done(s) {
		record, err := ws.Record(s)
		if err != nil {
			return c, err
		}
		c.Over, c.End = true, record.End
		return c, ws.ReadJSON(s, "history.json", &c.History)
	}
	path := filepath.Join(ws.ScratchDir(s), stage.EpochsFile)
	info, err := os.Stat(path)
	if err != nil {
		return c, err
	}
	c.End = info.ModTime()
	return c, files.ReadJSON(path, &c.Epochs)
}

// steps are the epochs of a curve, of which there are some.
func (c *Curve) steps() (all []step) {
	last := c.Epochs[len(c.Epochs)-1].Seconds
	for _, e := range c.Epochs {
		values := map[string]float64{}
		for name, v := range map[string]*float64{
			"train_loss": e.TrainLoss, "dev_loss": e.Dev.Loss, "dev_accuracy": e.Dev.Accuracy, "conicity": e.Dev.Conicity,
		} {
			if v != nil {
				values[name] = *v
			}
		}
		before := time.Duration((last - e.Seconds) * float64(time.Second))
		all = append(all, step{e.Steps, c.End.Add(-before), values})
	}
	return all
}

// score reads the metrics of the outputs of a split.
func (f *Follower) score(s *plan.Stage, split string) (only step, err error) {
	record, err := f.ws.Record(s)
	if err != nil {
		return only, err
	}
	only = step{time: record.End, values: map[string]float64{}}
	for _, of := range append([]*plan.Stage{s}, s.Content()...) {
		if of.ID == "" || !f.ws.Done(of) { // WordNet or word vectors are missing, or it is not finished
			continue
		}
		var found metrics.Scores
		if err := f.ws.ReadJSON(of, "metrics.json", &found); err != nil {
			return only, err
		}
		for name, v := range found.Metrics {
			only.values[split+"/"+name] = v
		}
	}
	return only, nil
}
