package main

import (
	"context"
	"fmt"
	"time"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/lm"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/metrics/meteor"
	"github.com/smlm-exp/smlm-exp/metrics/naturalness"
)

// timeTaken is what a task took.
type timeTaken struct {
	Seconds float64
	Value   float64   // of a scoring: BLEU-4 in percent, ownFull's perplexity
	Each    []float64 // seconds of every product
}

// The scorers of our side.
const (
	ownThree = "own"        // BLEU, naturalness and TST%
	ownNew   = "own_new"    // these, with all that they need made for it
	ownBLEU  = "own_bleu"   // BLEU alone
	ownLike  = "own_like"   // BLEU, ROUGE-L and CIDEr
	ownAll   = "own_report" // the report of metrics.Score, and TST%
	ownFull  = "own_full"   // the report with METEOR, a perplexity and intervals, without TST%
)

// scoring scores one system. What the program keeps from system to system is made before, unless
// the scorer is ownNew: vocabulary, classifier and naturalness.
type scoring struct {
	c     benchCase
	text  syntheticSystem
	vocab *corpus.Vocab
	judge *classifier.BiLSTM
	nat   metrics.Naturalness
	full  *fullReport // of ownFull alone
}

// newScoring makes what is kept for the scorer that a case names.
func newScoring(c benchCase) (*scoring, error) {
	text, err := readSystem(c.Data)
	if err != nil {
		return nil, err
	}
	s := &scoring{c: c, text: text}
	switch c.Scorer {
	case ownThree, ownAll:
		err = s.instruments()
	case ownFull:
		s.full, err = newFullReport(c, text)
	}
	return s, err
}

// instruments makes what is kept; drawing a classifier's weights and learning a naturalness take
// longer than reading them.
func (s *scoring) instruments() (err error) {
	s.vocab = s.text.Vocab()
	if s.nat, err = naturalness.Train(s.text.Sources, s.c.Seed); err != nil {
		return err
	}
	return torch.Run(func() error {
		if s.judge != nil {
			s.judge.Params.Free()
		}
		torch.Seed(s.c.Seed)
		s.judge = classifier.NewBiLSTM(classifier.BiLSTMConfig{
			Vocab: s.vocab.Len(), BiLSTMShape: s.c.Classifier.BiLSTMShape,
		})
		return nil
	})
}

// Run scores n times.
func (s *scoring) Run(n int) (a timeTaken, err error) {
	once := map[string]func() (float64, error){
		ownThree: s.three, ownNew: s.fresh, ownBLEU: s.bleu, ownLike: s.like, ownAll: s.all, ownFull: s.full.score,
	}[s.c.Scorer]
	if once == nil {
		return a, fmt.Errorf("the scorer %q is none of ours", s.c.Scorer)
	}
	start := time.Now()
	for range n {
		if a.Value, err = once(); err != nil {
			return a, err
		}
	}
	a.Seconds = time.Since(start).Seconds()
	return a, nil
}

func (s *scoring) bleu() (float64, error) { return metrics.BLEU4(s.text.Outputs, s.text.Sources), nil }

// fresh is three for the first system of a run.
func (s *scoring) fresh() (float64, error) {
	if err := s.instruments(); err != nil {
		return 0, err
	}
	return s.three()
}

// like computes what coco-caption does but METEOR.
func (s *scoring) like() (float64, error) {
	metrics.RougeL(s.text.Outputs, s.text.Sources)
	metrics.CIDEr(s.text.Outputs, s.text.Sources)
	return s.bleu()
}

// three computes what the paper's results table has of a system.
func (s *scoring) three() (float64, error) {
	right, natural := 0.0, 0.0
	styles, err := s.predict(s.text.Outputs)
	if err != nil {
		return 0, err
	}
	for i, words := range s.text.Outputs {
		right += float64(styles[i])
		natural += s.nat.Score(words)
	}
	return s.bleu()
}

// all computes what `score` reports of a system by default.
func (s *scoring) all() (float64, error) {
	dirs := halves(s.text)
	for i := range dirs {
		var err error
		if dirs[i].Predicted, err = s.predict(dirs[i].Output); err != nil {
			return 0, err
		}
	}
	r, err := metrics.Score(dirs, metrics.Instruments{Naturalness: []metrics.Naturalness{s.nat}})
	if err != nil {
		return 0, err
	}
	return r.Metrics["s_bleu"], nil
}

// halves makes the first half of the outputs one direction, the second the other.
func halves(s syntheticSystem) []metrics.Input {
	half := len(s.Sources) / 2
	return []metrics.Input{
		{From: "0", To: "1", Source: s.Sources[:half], Output: s.Outputs[:half], Target: 1},
		{From: "1", To: "0", Source: s.Sources[half:], Output: s.Outputs[half:]},
	}
}

func (s *scoring) predict(outputs [][]string) (styles []int, err error) {
	err = torch.Run(func() error {
		styles, err = s.judge.Predict(context.Background(), s.vocab.EncodeAll(outputs))
		return err
	})
	return styles, err
}

// resamples of an interval, as many as sacrebleu's default.
const resamples = 1000

// fullReport is a scoring with everything that asks for more than counting, but TST%.
type fullReport struct {
	text  syntheticSystem
	vocab *corpus.Vocab
	lm    *lm.Model
	with  metrics.Instruments
}

// newFullReport makes what is kept from system to system: naturalness, METEOR where the case has a
// WordNet, and the case's language model.
func newFullReport(c benchCase, text syntheticSystem) (*fullReport, error) {
	f := &fullReport{text: text, vocab: text.Vocab()}
	natural, err := naturalness.Train(text.Sources, c.Seed)
	if err != nil {
		return nil, err
	}
	f.with.Naturalness = []metrics.Naturalness{natural}
	if c.WordNet != "" {
		if f.with.METEOR, err = meteor.New(c.WordNet); err != nil {
			return nil, err
		}
	}
	return f, torch.Run(func() error {
		f.lm = newLM(c)
		return f.lm.Params.Load(c.Weights[0])
	})
}

// score returns the perplexity of the report.
func (f *fullReport) score() (float64, error) {
	dirs := halves(f.text)
	for i := range dirs {
		err := torch.Run(func() error {
			s, err := f.lm.Score(context.Background(), f.vocab.EncodeAll(dirs[i].Output))
			dirs[i].Fluency = &metrics.Fluency{
				LogProb: s.LogProb, Tokens: s.Tokens, Unknown: s.Unknown, Signature: "bench",
			}
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	r, err := metrics.Score(dirs, f.with)
	if err != nil {
		return 0, err
	}
	return metrics.Intervals(r.Sentences, resamples, 1)["perplexity"].Value, nil
}
