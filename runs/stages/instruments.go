package stages

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/lm/ngram"
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
	classifier *classifier.Model    // nil: the selector judges
	selector   *classifier.FastText // of a selection
	judge      string               // names whichever of the two in signatures
	others     map[string]judging   // further judges of style
	lm         *languageModel       // nil: no perplexity
	ngrams     *ngram.Model         // in its place, of a selection
}

// free gives the models' memory back.
func (s *instruments) free() {
	if s.classifier != nil {
		s.classifier.Params.Free()
	}
	if s.lm != nil {
		s.lm.Params.Free()
	}
}

// loadInstruments reads the inputs of a score.
func loadInstruments(job *plan.Job, s kind.ScoreSettings) (*instruments, error) {
	t, err := loadText(job, tested(s.Dev))
	if err != nil {
		return nil, err
	}
	out := &instruments{text: t}
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
	if err := out.loadJudge(job); err != nil {
		return nil, err
	}
	if err := out.loadOthers(job); err != nil {
		out.free()
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

// loadJudge loads what says of which style an output is.
func (s *instruments) loadJudge(job *plan.Job) (err error) {
	if dir, ok := job.Inputs["selector"]; ok {
		s.judge = runs.FastTextName(filepath.Base(dir))
		if s.selector, err = loadFastText(dir); err != nil {
			return err
		}
		s.ngrams, err = loadFluency(job.Inputs["fluency"])
		return err
	}
	s.judge = runs.JudgeName(filepath.Base(job.Inputs["classifier"]))
	s.classifier, err = loadClassifier(job.Inputs["classifier"])
	return err
}

// judging names a further judge and asks it.
type judging struct {
	name   string
	styles func(ids [][]int64) []int
}

// loadOthers loads the further judges of style.
func (s *instruments) loadOthers(job *plan.Job) error {
	s.others = map[string]judging{}
	if dir, ok := job.Inputs["fasttext"]; ok {
		m, err := loadFastText(dir)
		if err != nil {
			return err
		}
		s.others["fasttext"] = judging{runs.FastTextName(filepath.Base(dir)), m.Predict}
	}
	if dir, ok := job.Inputs["bayes"]; ok {
		m, err := loadBayes(dir)
		if err != nil {
			return err
		}
		s.others["bayes"] = judging{runs.BayesName(filepath.Base(dir)), m.Predict}
	}
	return nil
}

// styles returns the style of each sentence by whichever judge there is.
func (s *instruments) styles(ctx context.Context, ids [][]int64) ([]int, error) {
	if s.selector != nil {
		return s.selector.Predict(ids), nil
	}
	return s.classifier.Predict(ctx, ids)
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
	styles, err := s.styles(ctx, slices.Concat(ids[0], ids[1]))
	if err != nil {
		return err
	}
	for k := range dirs {
		in := &dirs[k]
		in.Classifier, in.Predicted = s.judge, styles[k*len(ids[0]):][:len(ids[k])]
		for key, other := range s.others {
			if in.Judges == nil {
				in.Judges = map[string]metrics.Judged{}
			}
			in.Judges[key] = metrics.Judged{Name: other.name, Styles: other.styles(ids[k])}
		}
		if s.ngrams != nil {
			in.Fluency = ngramFluency(s.ngrams, ids[k])
		}
		if s.lm != nil {
			if in.Fluency, err = s.lm.fluency(ctx, ids[k]); err != nil {
				return err
			}
		}
	}
	return nil
}
