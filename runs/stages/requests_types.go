package stages

import (
	"context"
	"strings"
	"unicode"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// TransferRequest names trained models that rewrite sentences. Folders are stage folders of a
// workspace.
type TransferRequest struct {
	Inputs      map[string]string // folders of what the stage transfer reads, by name; "divlstm" scores the words
	Attribution AttributionSettings
	Mask        MaskSettings
	Settings    TransferSettings
	From, To    int    // styles
	Threads     int    // 0 = all cores
	Devices     string // as in Job

	// Candidates is how many outputs of each sentence are wanted beside the one written; 0 = none.
	Candidates int
	// Draw has the temperature, the guide's weight and the fluency's by which candidates are drawn
	// and ranked.
	Draw recipe.Guided
	// Why asks for the origins of words also where masks were not refilled with help.
	Why bool
}

// TransferSession is the models of a TransferRequest, loaded.
type TransferSession interface {
	// Rewrite returns tokenised sentences, none empty, rewritten, in the order given. After an
	// error it may be called again. Calls must not overlap.
	Rewrite(ctx context.Context, sentences [][]string) ([]Rewritten, error)
	// Close gives the models' memory back.
	Close()
}

// Rewritten is a sentence in the other style.
type Rewritten struct {
	Masked, Output []string // Masked has masks in the places of style words
	// Origins are nil where masks were not refilled with help, unless Why asks for them; where
	// unmasked words are predicted, always.
	Origins    *Origins
	Unknown    []bool      // which words of the source the vocabulary does not have
	Candidates []Candidate // where they are asked for, the best first
}

// mostUnknown is the share of a sentence's words from which on nearly all are unknown.
const mostUnknown = 0.75

// Familiar counts the words of the source, signs left out, and those that the vocabulary has. few
// tells whether that is nearly none.
func (r *Rewritten) Familiar(source []string) (known, all int, few bool) {
	if len(r.Unknown) != len(source) {
		return 0, 0, false
	}
	for k, w := range source {
		if strings.IndexFunc(w, unicode.IsLetter) < 0 {
			continue
		}
		if all++; !r.Unknown[k] {
			known++
		}
	}
	return known, all, all > 0 && float64(all-known) >= mostUnknown*float64(all)
}

// Candidate is one of several outputs of a sentence, and what speaks for it.
type Candidate struct {
	Output     []string
	Origins    *Origins
	Written    bool    // it is the one that transfer writes
	LogQ       float64 // of the words that were chosen, added up
	Guide      float64 // its p(style asked for | output), 0 without a guide
	Fluency    float64 // log p of the output by n-grams, 0 without them
	Similarity float64 // share of the words that are the source's at their places
	// Total is what candidates are ranked by: LogQ, the guide's log p and Fluency, the latter two
	// times their weights in [transfer].
	Total float64
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

// JudgeName is what signatures call a judge of style, "bi-lstm", "fasttext" or "bayes", of a
// stage's identity.
func JudgeName(model, id string) string { return model + ":" + id[:min(8, len(id))] }

// JudgeRequest names a trained network that judges sentences, the evaluation classifier or the
// language model, and the sentences.
type JudgeRequest struct {
	ID        string // of its stage
	Dir       string // its stage folder
	VocabDir  string // the vocabulary it was trained with, a stage folder
	Sentences [][]string
	Threads   int    // 0 = all cores
	Devices   string // as in Job; "" = "auto"
}
