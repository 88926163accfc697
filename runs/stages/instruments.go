package stages

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// instruments has everything that measures the outputs of a data set.
type instruments struct {
	metrics.Instruments
	*text
	judge   judging            // judge of TST%: the evaluation classifier or, for dev outputs, the selector
	others  map[string]judging // further judges of style
	fluency func(ctx context.Context, ids [][]int64) (*metrics.Fluency, error)
	release []func() // functions that free the networks
}

// judging is a judge of style and its name.
type judging struct {
	name   string
	styles func(ctx context.Context, ids [][]int64) ([]int, error)
}

// The method free frees the networks' memory.
func (s *instruments) free() {
	for _, f := range s.release {
		f()
	}
}

// loadInstruments loads the inputs of a score.
func loadInstruments(job *stage.Job, s ScoreSettings) (*instruments, error) {
	t, err := loadText(job, tested(s.Dev))
	if err != nil {
		return nil, err
	}
	out := &instruments{text: t}
	if out.Naturalness, err = loadNaturalness(job.Inputs["naturalness"]); err != nil {
		return nil, err
	}
	if s.Dev {
		out.judge, err = judgingBy(loadFastText)("fasttext", job.Inputs["selector"])
	} else {
		err = out.loadMeasuring(job)
	}
	if err != nil {
		out.free()
		return nil, err
	}
	return out, nil
}

// loadMeasuring loads the networks that measure test outputs, and the further judges.
func (s *instruments) loadMeasuring(job *stage.Job) (err error) {
	if s.judge, err = s.biLSTM(job.Inputs["classifier"]); err != nil {
		return err
	}
	if err := s.loadJudges(job); err != nil {
		return err
	}
	if dir, ok := job.Inputs["lm"]; ok {
		m, err := loadLM(dir)
		if err != nil {
			return err
		}
		s.release = append(s.release, m.Params.Free)
		s.fluency = m.fluency
	}
	return nil
}

// loadJudges loads the further judges of style.
func (s *instruments) loadJudges(job *stage.Job) (err error) {
	s.others = map[string]judging{}
	judges := map[string]func(name, dir string) (judging, error){"fasttext": judgingBy(loadFastText), "unseen": s.cnn}
	for key, load := range judges {
		if dir, ok := job.Inputs[key]; ok {
			if s.others[key], err = load(key, dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// biLSTM loads a Bi-LSTM as a judge.
func (s *instruments) biLSTM(dir string) (judging, error) {
	m, err := loadClassifier(dir)
	if err != nil {
		return judging{}, err
	}
	s.release = append(s.release, m.Params.Free)
	return judging{judgeName("bi-lstm", dir), m.Predict}, nil
}

// cnn loads a word CNN as a judge.
func (s *instruments) cnn(name, dir string) (judging, error) {
	m, err := loadCNN(dir)
	if err != nil {
		return judging{}, err
	}
	s.release = append(s.release, m.Params.Free)
	return judging{judgeName(name, dir), m.Predict}, nil
}

// judgeName returns the name of a judge of style in signatures. key is "bi-lstm" or a key of
// metrics.Input.Judges. dir is the folder of the judge's stage, which is named by the stage's
// identity.
func judgeName(key, dir string) string {
	id := filepath.Base(dir)
	return key + ":" + id[:min(8, len(id))]
}

// judgingBy returns a function that loads a judge that uses no tensors. The memory of this judge
// need not be freed, and its work cannot be interrupted.
func judgingBy[J interface{ Predict(ids [][]int64) []int }](load func(dir string) (J, error)) func(name, dir string) (
	judging, error,
) {
	return func(name, dir string) (judging, error) {
		m, err := load(dir)
		ask := func(_ context.Context, ids [][]int64) ([]int, error) { return m.Predict(ids), nil }
		return judging{judgeName(name, dir), ask}, err
	}
}

// measure runs the networks on the outputs and stores the results in dirs. The judge of TST% gets
// all directions at once, because larger batches are faster.
func (s *instruments) measure(ctx context.Context, dirs []metrics.Input) error {
	ids := make([][][]int64, len(dirs))
	for k := range dirs {
		ids[k] = encodeOutputs(s.vocab, dirs[k].Output)
	}
	styles, err := s.judge.styles(ctx, slices.Concat(ids...))
	if err != nil {
		return err
	}
	for k := range dirs {
		in := &dirs[k]
		in.Classifier, in.Predicted = s.judge.name, styles[:len(ids[k])]
		styles = styles[len(ids[k]):]
		in.Judges = map[string]metrics.Judged{}
		for key, other := range s.others {
			seen, err := other.styles(ctx, ids[k])
			if err != nil {
				return err
			}
			in.Judges[key] = metrics.Judged{Name: other.name, Styles: seen}
		}
		if s.fluency != nil {
			if in.Fluency, err = s.fluency(ctx, ids[k]); err != nil {
				return err
			}
		}
	}
	return nil
}
