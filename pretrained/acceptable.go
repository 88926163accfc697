package pretrained

import (
	"context"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
)

// Acceptability is a classifier that says how likely a sentence is acceptable.
type Acceptability struct {
	reader
	class int
}

// OpenAcceptability returns a folder's classifier; the label is as folder.Acceptable has it. Call
// it on the torch thread, and Params.Free when it is not needed any more.
func OpenAcceptability(f *folder.Folder, label string) (*Acceptability, error) {
	class, err := folder.Acceptable(f.Dir, f.Config.ClassLabels(), label)
	if err != nil {
		return nil, err
	}
	m, err := Open(f, 0, Classes)
	if err != nil {
		return nil, err
	}
	return &Acceptability{reader{m, f}, class}, nil
}

// Label is the label of acceptable sentences.
func (a *Acceptability) Label() string { return a.Config.ClassLabels()[a.class] }

// written undoes what the cutting into words did to signs, as the programs of the detoxification
// tasks do before they ask: classifiers of acceptability have read sentences as people write them.
var written = strings.NewReplacer(" .", ".", " ,", ",", " !", "!", " ?", "?", " )", ")", "( ", "(")

// Probabilities returns how likely each sentence is acceptable.
func (a *Acceptability) Probabilities(ctx context.Context, sentences []string) ([]float64, error) {
	texts := make([]string, len(sentences))
	for i, s := range sentences {
		texts[i] = written.Replace(s)
	}
	rows, err := a.encode("", texts)
	if err != nil {
		return nil, err
	}
	all, err := a.probabilities(ctx, rows)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(all))
	for i, p := range all {
		if a.class >= len(p) {
			return nil, userr.New(userr.BadInput, "the classifier %q has %s in config.json and %d in its weights",
				a.folder.Dir, wording.Count(len(a.Config.ClassLabels()), "label"), len(p))
		}
		out[i] = float64(p[a.class])
	}
	return out, nil
}
