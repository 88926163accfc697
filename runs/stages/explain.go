package stages

import (
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// explaining has the loaded models of an ExplainRequest. Its methods use the torch thread.
type explaining struct {
	request ExplainRequest
	vocab   *corpus.Vocab
	models  map[string]*divlstm.Model // models by stage folder; methods with the same folder share a model
	methods []*explainer
}

// OpenExplain loads trained Diversity-LSTMs. Up to rounding, the scores of a sentence do not depend
// on the other sentences.
func (Torch) OpenExplain(_ context.Context, q ExplainRequest) (ExplainSession, error) {
	s := &explaining{request: q, models: map[string]*divlstm.Model{}}
	err := onThreads(q.Devices, q.Threads, func() (err error) {
		dirs := lists.Map(q.Methods, func(m ExplainMethod) string { return m.DivLSTM })
		if s.vocab, err = loadVocab(q.VocabDir, dirs...); err != nil {
			return err
		}
		for _, m := range q.Methods {
			e, err := loadExplainer(m.DivLSTM, m.Attribution)
			if err != nil {
				s.free()
				return err
			}
			if kept := s.models[m.DivLSTM]; kept != nil {
				e.model.Params.Free()
				e.model = kept
			}
			s.models[m.DivLSTM] = e.model
			s.methods = append(s.methods, e)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Explain implements ExplainSession.
func (s *explaining) Explain(ctx context.Context, sentences [][]string, style int) (done []Explained, err error) {
	err = onThreads(s.request.Devices, s.request.Threads, func() error {
		d := corpus.Encoded{
			IDs: s.vocab.EncodeAll(sentences), Styles: make([]int, len(sentences)), Kept: corpus.NeverMasked(sentences),
		}
		p, err := s.methods[0].model.Probabilities(ctx, d.IDs)
		if err != nil {
			return err
		}
		done = make([]Explained, len(sentences))
		for i := range done {
			if d.Styles[i] = style; style < 0 { // the likeliest style; the first if several are equally likely
				d.Styles[i] = slices.Index(p[i], slices.Max(p[i]))
			}
			done[i].Style, done[i].Probability = d.Styles[i], p[i][d.Styles[i]]
		}
		for _, m := range s.methods {
			scores, err := m.scores(ctx, d, nil)
			if err != nil {
				return err
			}
			for i, words := range scores {
				done[i].Scores = append(done[i].Scores, words)
			}
		}
		return nil
	})
	return done, err
}

// Close implements ExplainSession.
func (s *explaining) Close() {
	_ = onThreads(s.request.Devices, s.request.Threads, func() error {
		s.free()
		return nil
	})
}

func (s *explaining) free() {
	for _, m := range s.models {
		m.Params.Free()
	}
}

// ExplainRequest names trained Diversity-LSTMs that score words, one for each method.
type ExplainRequest struct {
	VocabDir string // stage folder of the vocabulary with which all models were trained
	Methods  []ExplainMethod
	Threads  int    // 0 = all cores
	Devices  string // as in Job
}

// ExplainMethod is a method and the stage folder of its Diversity-LSTM.
type ExplainMethod struct {
	DivLSTM     string
	Attribution AttributionSettings
}

// ExplainSession has the loaded models of an ExplainRequest.
type ExplainSession interface {
	// Explain scores the words of tokenised sentences, none of which may be empty. style is the
	// style to explain. If style is below 0, each sentence is explained in the style that the first
	// method's model finds likeliest. Calls must not overlap.
	Explain(ctx context.Context, sentences [][]string, style int) ([]Explained, error)
	// Close frees the models' memory.
	Close()
}

// Explained has the scores of one sentence's words.
type Explained struct {
	Style       int         // the explained style
	Probability float64     // probability of this style, according to the first method's model
	Scores      [][]float32 // for each method, one score per word
}
