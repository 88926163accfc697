package stages

import (
	"context"
	"fmt"
	"strconv"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/smlm"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// Rater is the stage that fine-tunes an SMLM to predict readers' ratings of outputs.
const Rater stage.Name = "rater"

var raterStage = stage.Definition{
	Name: Rater, Version: 4, Trains: true, Scope: stage.OfMethod | stage.OfModel,
	Inputs: "prepare, vocab, smlm: an SMLM or SMLM-FT",
	Settings: func(p stage.Point) any {
		s := RaterSettings{Seed: p.Seed, RaterSettings: p.Settings.Rater}
		for _, file := range p.Data().Ratings {
			s.Ratings = append(s.Ratings, file.Hash)
		}
		return s
	},
	Reads: func(p stage.Point) stage.Inputs {
		return trainText(p).And(stage.Inputs{"smlm": at(stage.Name(p.Model), p)})
	},
	Sources: func(p stage.Point) map[string]string {
		sources := map[string]string{}
		for k, file := range p.Data().Ratings {
			sources[strconv.Itoa(k+1)] = file.Path
		}
		return sources
	},
	Files: "a model",
	Run:   onTorch(of(trainRater)),
}

// RaterSettings has the rater's fixed settings and the hashes of the rated outputs. The paths of
// the files are Job.Sources["1"], Job.Sources["2"] and so on.
type RaterSettings struct {
	Seed uint64 `json:"seed"`
	experiment.RaterSettings
	Ratings []string `json:"ratings"` // sha256 of each file of rated outputs
}

// One in devShare rated sentences is set aside, to measure what the rater has learned.
const devShare = 10

// trainRater fine-tunes an SMLM on rated outputs of dev sentences.
func trainRater(ctx context.Context, job *stage.Job, s RaterSettings) error {
	t, err := loadText(job, corpus.Dev)
	if err != nil {
		return err
	}
	var rated []guided.Rated
	for k := range s.Ratings {
		some, err := guided.ReadRated(job.Sources[strconv.Itoa(k+1)])
		if err != nil {
			return err
		}
		rated = append(rated, some...)
	}
	all := t.rated(rated)
	train := lists.Filter(all, func(r smlm.RatedRewrite) bool { return r.Sentence%devShare > 0 })
	dev := lists.Filter(all, func(r smlm.RatedRewrite) bool { return r.Sentence%devShare == 0 })
	if len(train) == 0 {
		return userr.New(userr.BadInput, "none of the %d rated outputs is of a dev sentence of this data set, or all are of "+
			"one: give ratings of outputs of its own dev sentences, or leave out ratings", len(rated))
	}
	if n := t.unknown(rated); n > 0 {
		job.Warn(fmt.Sprintf("datasets.%s.ratings: %d of %d rated outputs are of no dev sentence of this data set and teach "+
			"nothing: the data are others than those that were rated", t.Name, n, len(rated)))
	}
	of, err := loadSMLM(job.Inputs["smlm"])
	if err != nil {
		return err
	}
	defer of.Params.Free()
	c := smlm.RaterConfig{Config: of.Config}
	c.Dropout = s.Dropout
	r := training(job, s.Training, s.Seed)
	m := smlm.NewRater(c)
	defer m.Params.Free()
	if err := m.StartFrom(of); err != nil {
		return err
	}
	h, err := m.Train(ctx, train, dev, r)
	if err != nil {
		return err
	}
	return keep(job, m.Params, m.Config, h, TrainResult{
		TrainTokens: tokens(lists.Map(train, func(r smlm.RatedRewrite) []int64 { return r.Output })),
	})
}

// The method unknown counts the rated outputs whose source is not a dev sentence.
func (t *text) unknown(rated []guided.Rated) int {
	known := map[uint32]bool{}
	for _, words := range sentences(t.Dataset, corpus.Dev) {
		known[guided.Checksum(words)] = true
	}
	return len(lists.Filter(rated, func(r guided.Rated) bool { return !known[r.Source] }))
}

// The method rated returns the rated outputs whose sources are among the dev sentences. Each output
// appears once, with the scores of all its readers. Sentences are numbered in order of appearance.
func (t *text) rated(rated []guided.Rated) (out []smlm.RatedRewrite) {
	type sentence struct {
		style int
		sum   uint32
	}
	known := map[sentence]corpus.Sentence{}
	for style, all := range t.Text[corpus.Dev] {
		for _, words := range all {
			known[sentence{style, guided.Checksum(words)}] = words
		}
	}
	directions := map[string]corpus.Direction{}
	for _, d := range t.Labels.Directions() {
		directions[t.Labels.Name(d)] = d
	}
	numbers := map[sentence]int{}
	for _, r := range guided.Pooled(rated) {
		d, named := directions[r.Direction]
		of := sentence{d.From, r.Source}
		source := known[of]
		words, places, right := r.Output(source)
		output := t.vocab.Encode(words)
		if !named || !right || len(output) == 0 {
			continue
		}
		if _, seen := numbers[of]; !seen {
			numbers[of] = len(numbers)
		}
		out = append(out, smlm.RatedRewrite{
			Rewrite: guided.Rewrite{
				Source: t.vocab.Encode(source), Output: output, Places: places, Asked: d.To,
			},
			Sentence: numbers[of], Best: r.Best(), Total: r.Total(),
		})
	}
	return out
}

func loadRater(dir string) (*smlm.Rater, error) {
	return loadModel(dir, smlm.NewRater, func(m *smlm.Rater) *nn.Params { return m.Params })
}
