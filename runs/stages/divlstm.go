package stages

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// DivLSTM is the stage that trains the Diversity-LSTM, whose attention or gradients score words.
const DivLSTM stage.Name = "divlstm"

var divLSTMStage = stage.Definition{
	Name: DivLSTM, Version: 3, Trains: true, Scope: stage.OfMethod, Inputs: "prepare, vocab, [selector]",
	Settings: func(p stage.Point) any { return divLSTMSettings(p) },
	Reads: func(p stage.Point) stage.Inputs {
		in := trainText(p)
		if p.Settings.DivLSTM.Restarts > 0 {
			in["selector"] = at(FastText, p)
		}
		return in
	},
	Files: "a model; `attention` in `result.json` says whether the attention is healthy",
	Run:   onTorch(of(trainDivLSTM)),
}

// DivLSTMSettings has the keys of [divlstm]. For vanilla attention, lambda_con is 0.
type DivLSTMSettings struct {
	Seed uint64 `json:"seed"`
	experiment.DivLSTMSettings
}

func divLSTMSettings(p stage.Point) DivLSTMSettings {
	s := p.Settings.DivLSTM
	if p.Method.Plain() {
		s.LambdaCon = 0
	}
	return DivLSTMSettings{p.Seed, s}
}

func trainDivLSTM(ctx context.Context, job *stage.Job, s DivLSTMSettings) error {
	t, err := loadText(job, corpus.Train, corpus.Dev)
	if err != nil {
		return err
	}
	var selector *classifier.FastText
	var silent []int
	if dir, ok := job.Inputs["selector"]; ok {
		if selector, err = loadFastText(dir); err != nil {
			return err
		}
		train := t.encoded(corpus.Train)
		silent, _ = classifier.CountOdds(train, t.Labels.N(), t.vocab.Len()).Silent(train)
	}
	best, err := healthiest(s.Restarts, !s.Bidirectional, job.Log, func(restart int) (*attendedTraining, error) {
		seed, scratch := s.Seed, job.Scratch
		// A restart has other weights and batches. It has its own folder, so that an interrupted
		// restart can be resumed.
		if restart > 0 {
			seed = rand.New(rand.NewPCG(s.Seed, uint64(restart))).Uint64N(1 << 32)
			scratch = filepath.Join(scratch, fmt.Sprintf("restart-%d", restart))
			if err := os.MkdirAll(scratch, 0o755); err != nil {
				return nil, err
			}
		}
		r := trainingIn(job, scratch, s.Training, seed)
		if s.Restarts > 0 { // report no epochs: it is not known yet which training run is kept
			r.Ended = nil
		}
		if restart > 0 && job.Progress != nil {
			r.Progress = func(done, total int, note string) {
				job.Progress(done, total, fmt.Sprintf("attempt %d of %d, %s", restart+1, s.Restarts+1, note))
			}
		}
		return fitDivLSTM(ctx, t, s, r, selector, silent)
	})
	if err != nil {
		return err
	}
	defer best.Free()
	return keep(job, best.Model.Params, best.Model.Config, best.History, TrainResult{
		TrainTokens: tokens(t.encoded(corpus.Train).IDs), Attention: best.Health,
	})
}

// fitDivLSTM trains a model and examines its attention.
func fitDivLSTM(
	ctx context.Context, t *text, s DivLSTMSettings, r nn.Recipe, selector *classifier.FastText, silent []int,
) (a *attendedTraining, err error) {
	m := divlstm.New(divlstm.Config{
		Vocab: t.vocab.Len(), Styles: t.classes(), DivLSTMShape: s.DivLSTMShape, Dropout: s.Dropout,
	})
	defer func() {
		if err != nil {
			m.Params.Free()
		}
	}()
	dev := t.encoded(corpus.Dev)
	h, err := m.Train(ctx, t.encoded(corpus.Train), dev, divlstm.Loss{LambdaCon: s.LambdaCon}, r)
	if err != nil {
		return nil, err
	}
	attention, err := m.Attention(ctx, dev.IDs)
	if err != nil {
		return nil, err
	}
	return &attendedTraining{
		Model: m, History: h, Health: health(dev, t.Labels.N(), attention, selector, silent),
	}, nil
}

// divLSTMRecord returns the record of a Diversity-LSTM, without its test accuracy.
func divLSTMRecord(f stage.Finished, trained TrainResult) *report.Record {
	s, p := f.Settings().(DivLSTMSettings), f.At()
	r := report.NewRecord(report.FromDivLSTM, p.Dataset, p.Seed,
		append([]report.Axis{lambdaCon(s.LambdaCon)}, f.Axes("lambda_con")...)...)
	r.Values = metrics.Values{
		"dev_accuracy": trained.DevAccuracy, "conicity": trained.Conicity, "epochs": float64(trained.Epochs),
	}
	if s.LambdaCon > 0 { // the paper has no values for the plain LSTM
		r.Paper = "Diversity-LSTM"
	}
	if a := trained.Attention; a != nil {
		r.Values["top_attention"], r.Values["restarts"] = a.TopShare, float64(a.Restarts)
		r.Text["evidence_found"] = a.evidence()
		r.Text[report.StyleNames] = strings.Join(p.Data().Labels, " / ")
		if !a.Healthy() {
			r.Text[report.OffStyle] = "yes"
		}
	}
	return r
}

func lambdaCon(v float64) report.Axis { return report.Axis{Key: "lambda_con", Value: table.Short(v)} }

// evidence returns the values of Found as text, one for each style. A style without words of its
// own has no value.
func (h *AttentionHealth) evidence() string {
	each := lists.Map(h.Found, func(v float64) string { return table.Decimals(v, 2) })
	for _, style := range h.Silent {
		each[style] = table.Absent
	}
	return strings.Join(each, " / ")
}

func loadDivLSTM(dir string) (*divlstm.Model, error) {
	return loadModel(dir, divlstm.New, func(m *divlstm.Model) *nn.Params { return m.Params })
}
