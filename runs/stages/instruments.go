package stages

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/metrics/embedding"
	"github.com/smlm-exp/smlm-exp/metrics/meteor"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/kind"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// instruments are what the outputs of a data set are measured with.
type instruments struct {
	metrics.Instruments
	*text
	classifier *classifier.Model
	judge      string         // names the classifier in signatures
	lm         *languageModel // nil: no perplexity
}

// free gives the models' memory back.
func (s *instruments) free() {
	s.classifier.Params.Free()
	if s.lm != nil {
		s.lm.Params.Free()
	}
}

// loadInstruments reads the inputs of a score.
func loadInstruments(job *plan.Job, s kind.ScoreSettings) (*instruments, error) {
	t, err := loadText(job, corpus.Test)
	if err != nil {
		return nil, err
	}
	out := &instruments{text: t, judge: runs.JudgeName(filepath.Base(job.Inputs["classifier"]))}
	for _, name := range naturalnessInputs(job) {
		nat, err := loadNaturalness(job.Inputs[name])
		if err != nil {
			return nil, err
		}
		out.Naturalness = append(out.Naturalness, nat)
	}
	if s.WordNet != "" {
		m, err := lastMETEOR.get(job.Sources["wordnet"], func() (*meteor.METEOR, error) {
			return meteor.New(job.Sources["wordnet"])
		})
		if err != nil {
			return nil, err
		}
		out.METEOR = m
	}
	if dir, ok := job.Inputs["vectors"]; ok {
		j, err := lastVectors.get(dir, func() (*embedding.Judge, error) { return loadVectors(dir) })
		if err != nil {
			return nil, err
		}
		out.Embedding = j
	}
	if out.classifier, err = loadClassifier(job.Inputs["classifier"]); err != nil {
		return nil, err
	}
	if dir, ok := job.Inputs["lm"]; ok {
		if out.lm, err = loadLM(dir); err != nil {
			out.free()
			return nil, err
		}
	}
	return out, nil
}

// The systems of a data set are scored one after another with the same dictionary and vectors.
var (
	lastMETEOR  last[*meteor.METEOR]
	lastVectors last[*embedding.Judge]
)

// naturalnessInputs lists the judges of naturalness, the first of which is the one of the tables.
func naturalnessInputs(job *plan.Job) []string {
	names := []string{"naturalness"}
	for {
		next := fmt.Sprintf("naturalness.%d", len(names)+1)
		if _, ok := job.Inputs[next]; !ok {
			return names
		}
		names = append(names, next)
	}
}

// measure fills in what the networks say of the outputs. The classifier is given both directions at
// once: larger batches take less time.
func (s *instruments) measure(ctx context.Context, dirs *[2]metrics.Input) error {
	ids := [2][][]int64{s.vocab.EncodeAll(dirs[0].Output), s.vocab.EncodeAll(dirs[1].Output)}
	styles, err := s.classifier.Predict(ctx, slices.Concat(ids[0], ids[1]))
	if err != nil {
		return err
	}
	for k := range dirs {
		in := &dirs[k]
		in.Classifier, in.Predicted = s.judge, styles[k*len(ids[0]):][:len(ids[k])]
		if s.lm != nil {
			if in.Fluency, err = s.lm.fluency(ctx, ids[k]); err != nil {
				return err
			}
		}
	}
	return nil
}
