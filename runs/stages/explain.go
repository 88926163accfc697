package stages

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/divlstm"
)

// explaining is the models of an ExplainRequest, on the torch thread.
type explaining struct {
	request ExplainRequest
	vocab   *corpus.Vocab
	models  map[string]*divlstm.Model // by stage folder: methods share them
	methods []*explainer
}

// OpenExplain loads trained Diversity-LSTMs. What they make of a sentence does not depend on those
// it is given with, up to rounding, as in OpenTransfer.
func (Torch) OpenExplain(_ context.Context, q ExplainRequest) (ExplainSession, error) {
	s := &explaining{request: q, models: map[string]*divlstm.Model{}}
	err := onThreads(q.Devices, q.Threads, func() (err error) {
		if s.vocab, err = corpus.LoadVocab(filepath.Join(q.VocabDir, "vocab.txt")); err != nil {
			return err
		}
		for _, m := range q.Methods {
			var e *explainer
			if err = ofVocab(s.vocab, m.DivLSTM); err == nil {
				e, err = loadExplainer(m.DivLSTM, m.Attribution)
			}
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
			if d.Styles[i] = style; style < 0 { // the first of equally likely ones
				d.Styles[i] = slices.Index(p[i], slices.Max(p[i]))
			}
			done[i].Style, done[i].Probability = d.Styles[i], p[i][d.Styles[i]]
		}
		for _, m := range s.methods {
			scores, err := m.scores(ctx, d, nil)
			if err != nil {
				return err
			}
			for i, words := range scores.Words {
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

// ExplainRequest names trained Diversity-LSTMs that score the words of sentences, one for each
// method.
type ExplainRequest struct {
	VocabDir string // the vocabulary that all were trained with, a stage folder
	Methods  []ExplainMethod
	Threads  int    // 0 = all cores
	Devices  string // as in Job
}

// ExplainMethod is a method and the stage folder of the Diversity-LSTM that it reads.
type ExplainMethod struct {
	DivLSTM     string
	Attribution AttributionSettings
}

// ExplainSession is the models of an ExplainRequest, loaded.
type ExplainSession interface {
	// Explain returns what the methods see in tokenised sentences, none empty. style is what they
	// are explained as; below 0 it is what the first method's model takes each for. Calls must not
	// overlap.
	Explain(ctx context.Context, sentences [][]string, style int) ([]Explained, error)
	// Close gives the models' memory back.
	Close()
}

// Explained is the words' scores of one sentence.
type Explained struct {
	Style       int         // what the sentence was explained as
	Probability float64     // of that style, by the first method's model
	Scores      [][]float32 // of each method, a number a word
}
