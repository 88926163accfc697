package track

import (
	"os"
	"path/filepath"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// step holds the values that TensorBoard shows at one step.
type step struct {
	number int // number of optimizer steps that the training has made
	time   time.Time
	values map[string]float64
}

// curve has the finished epochs of a training.
type curve struct {
	epochs []stages.Epoch
	end    time.Time // end of the last epoch
	over   bool      // the training is finished
}

// curve reads the curve of a training, which may still be running.
func (f *Follower) curve(s *plan.Stage) (c curve, err error) {
	if f.ws.Done(s) {
		record, err := f.ws.Record(s)
		if err != nil {
			return c, err
		}
		var h stages.History
		err = f.ws.ReadJSON(s, "history.json", &h)
		return curve{h.Epochs, record.End, true}, err
	}
	path := filepath.Join(f.ws.ScratchDir(s), stage.EpochsFile)
	info, err := os.Stat(path)
	if err != nil {
		return c, err
	}
	c.end = info.ModTime()
	return c, files.ReadJSON(path, &c.epochs)
}

// steps converts a curve into steps, one per epoch. The curve must have at least one epoch.
func (c *curve) steps() (all []step) {
	last := c.epochs[len(c.epochs)-1].Seconds
	for _, e := range c.epochs {
		values := map[string]float64{}
		for name, v := range map[string]*float64{
			"train_loss": e.TrainLoss, "dev_loss": e.Dev.Loss, "dev_accuracy": e.Dev.Accuracy, "conicity": e.Dev.Conicity,
		} {
			if v != nil {
				values[name] = *v
			}
		}
		before := time.Duration((last - e.Seconds) * float64(time.Second))
		all = append(all, step{e.Steps, c.end.Add(-before), values})
	}
	return all
}
