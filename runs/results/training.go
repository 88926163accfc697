package results

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/kind"
)

// trainedKinds are the kinds that have a history.
var trainedKinds = []kind.Kind{
	kind.Classifier, kind.FastText, kind.DivLSTM, kind.SMLM, kind.SMLMG,
	kind.SMLMFT, kind.LM,
}

// history is what the tables need of history.json.
type history struct {
	Epochs []struct {
		Epoch     int      `json:"epoch"`
		Steps     int      `json:"steps"`
		TrainLoss *float64 `json:"train_loss"`
		Dev       struct {
			Loss     *float64 `json:"loss"`
			Accuracy *float64 `json:"accuracy"`
			Conicity *float64 `json:"conicity"`
		} `json:"dev"`
	} `json:"epochs"`
	Best int `json:"best"`
}

// training adds a row for every epoch of every trained model.
func (c *collector) training() {
	if !c.out.wants("training") && !c.out.draws("training") {
		return
	}
	for _, s := range c.plan.Stages {
		if !slices.Contains(trainedKinds, s.Kind) || !c.done(s) {
			continue
		}
		h := readResult[history](c, s, "history.json")
		first, lambdaCon := s.First()
		axes := c.axes(s)
		if s.Kind == kind.DivLSTM && lambdaCon != "" {
			axes = append(c.axes(s, "lambda_con"), report.Axis{Key: "lambda_con", Value: lambdaCon})
		}
		seed := first.Seed
		if s.Kind == kind.Classifier || s.Kind == kind.FastText || s.Kind == kind.LM {
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
