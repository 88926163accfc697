package results

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// trainedKinds are the kinds whose training tables show: no outputs are those of a guide.
var trainedKinds = lists.Where(stages.Trained, func(k stage.Kind) bool { return k != stages.Guide })

// training adds a row for every epoch of every trained model.
func (c *collector) training() {
	if !c.out.wants("training") && !c.out.draws("training") {
		return
	}
	for _, s := range c.plan.Stages {
		if !slices.Contains(trainedKinds, s.Kind) || !c.done(s) {
			continue
		}
		h := readResult[stages.History](c, s, "history.json")
		first, lambdaCon := s.First()
		axes := c.axes(s)
		if s.Kind == stages.DivLSTM && lambdaCon != "" {
			axes = append(c.axes(s, "lambda_con"), report.Axis{Key: "lambda_con", Value: lambdaCon})
		}
		seed := first.Seed
		if s.Kind == stages.Classifier || s.Kind == stages.FastText || s.Kind == stages.LM {
			seed = c.plan.Experiment.Seeds[0]
		}
		for i, e := range h.Epochs {
			c.out.Training = append(c.out.Training, report.TrainingRow{
				Dataset: first.Dataset, Model: string(s.Kind), Axes: axes, Seed: seed, Epoch: e.Epoch, Steps: e.Steps,
				TrainLoss: e.TrainLoss, DevLoss: e.Dev.Loss, DevAccuracy: e.Dev.Accuracy, Conicity: e.Dev.Conicity,
				Kept: i == h.Best,
			})
		}
	}
}
