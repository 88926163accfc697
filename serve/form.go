package serve

import (
	"net/http"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// maxSentence is the maximum length of a sentence in bytes.
const maxSentence = 8 << 10

// form is an HTML form for sentences, empty or with the values that the user sent.
type form struct {
	Transfer bool     // true if the form rewrites sentences, false if it explains them
	Models   []string // names of the models to choose from
	Styles   []string // names of the styles to choose from: those of all models

	Model, Text string
	From        string // source style; "" if the model determines it
	To          string // target style
	LambdaEps   string // as the user typed it; "" means the value of the masking policy
}

// newForm returns an empty form that offers the given models.
func newForm(of []model) *form {
	f := &form{}
	for _, m := range of {
		f.Models, f.Styles = lists.AddOnce(f.Models, m.name), lists.AddOnce(f.Styles, m.labels...)
	}
	return f
}

// fill sets the form's fields to the values that the user sent.
func (f *form) fill(r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return userr.New(userr.BadInput, "the form cannot be read, or has more than %d kB: %w", maxBody>>10, err)
	}
	f.Model, f.Text = r.PostForm.Get("model"), r.PostForm.Get("text")
	f.From, f.To = r.PostForm.Get("from"), r.PostForm.Get("to")
	f.LambdaEps = strings.TrimSpace(r.PostForm.Get("lambda_eps"))
	return nil
}

// sentences splits each line of a text into words. It leaves out lines without words.
func sentences(text string, cutting corpus.Cutting) (out []*corpus.Source, words [][]string, err error) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		number := len(out) + 1
		if len(line) > maxSentence {
			return nil, nil, userr.New(userr.BadInput, "sentence %d has %d bytes, but may have at most %d: shorten it",
				number, len(line), maxSentence)
		}
		source, err := cutting.Cut(line)
		if err != nil {
			return nil, nil, userr.New(userr.BadInput, "sentence %d: %w", number, err)
		}
		out, words = append(out, source), append(words, source.Words)
	}
	if len(out) == 0 {
		return nil, nil, userr.New(userr.BadInput, "there is no sentence: type at least one")
	}
	return out, words, nil
}
