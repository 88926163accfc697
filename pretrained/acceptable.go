package pretrained

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
)

// Acceptability is a classifier that says how likely a sentence is acceptable.
type Acceptability struct {
	reader
	class int
}

// acceptable are names of the class of acceptable sentences. Those who number the two classes as
// the corpus CoLA does call it LABEL_1.
var acceptable = []string{"acceptable", "grammatical", "linguistically acceptable", "label_1"}

// AcceptableClass returns the place of the class of acceptable sentences in a folder with a
// classifier's head: the one of the label given, or where that is "" the one whose name says so.
func AcceptableClass(f *folder.Folder, label string) (int, error) {
	labels := f.Config.Labels
	if len(labels) < 2 {
		return 0, userr.New(userr.BadInput, "the folder %q has no head of a classifier with two labels or more: give one "+
			"that was trained to tell acceptable sentences", f.Dir)
	}
	is := func(name string) bool { return name == label }
	if label == "" {
		is = func(name string) bool { return slices.Contains(acceptable, strings.ToLower(name)) }
	}
	class := slices.IndexFunc(labels, is)
	if class < 0 || label == "" && len(labels) > 2 && strings.EqualFold(labels[class], "label_1") {
		named := fmt.Sprintf("which of the labels %s of %q is that of acceptable sentences cannot be told",
			strings.Join(labels, ", "), f.Dir)
		if label != "" {
			named = fmt.Sprintf("the classifier %q has no label %q: its labels are %s", f.Dir, label, strings.Join(labels, ", "))
		}
		return 0, userr.New(userr.BadInput, "%s; name one with acceptable_label", named)
	}
	return class, nil
}

// OpenAcceptability returns a folder's classifier; the label is as AcceptableClass has it. Call it
// on the torch thread, and Params.Free when it is not needed any more.
func OpenAcceptability(f *folder.Folder, label string) (*Acceptability, error) {
	class, err := AcceptableClass(f, label)
	if err != nil {
		return nil, err
	}
	m, err := Open(f, 0, Classes)
	if err != nil {
		return nil, err
	}
	return &Acceptability{reader{m, f}, class}, nil
}

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
			return nil, userr.New(userr.BadInput, "the classifier %q has %d labels in config.json and %d in its weights",
				a.folder.Dir, len(a.Config.Labels), len(p))
		}
		out[i] = float64(p[a.class])
	}
	return out, nil
}
