package folder

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// acceptable are names of the class of acceptable sentences. Those who number the two classes as
// the corpus CoLA does call it LABEL_1.
var acceptable = []string{"acceptable", "grammatical", "linguistically acceptable", "label_1"}

// ClassLabels returns the labels of a classifier's head, by id; nil where the folder has none.
// transformers leave out those of two classes that nobody named.
func (c *Config) ClassLabels() []string {
	if c.Labels == nil && strings.HasSuffix(c.Head, "ForSequenceClassification") {
		return []string{"LABEL_0", "LABEL_1"}
	}
	return c.Labels
}

// Acceptable returns the place of the class of acceptable sentences among the labels of a folder
// with a classifier's head: the one of the label given, or where that is "" the one whose name
// says so.
func Acceptable(dir string, labels []string, label string) (int, error) {
	if len(labels) < 2 {
		return 0, userr.New(userr.BadInput, "the folder %q has no classifier head with two or more labels: "+
			"name one that was trained to recognise acceptable sentences", dir)
	}
	is := func(name string) bool { return name == label }
	if label == "" {
		is = func(name string) bool { return slices.Contains(acceptable, strings.ToLower(name)) }
	}
	class := slices.IndexFunc(labels, is)
	if class < 0 || label == "" && len(labels) > 2 && strings.EqualFold(labels[class], "label_1") {
		named := fmt.Sprintf("the labels %s of %q do not say which one is for acceptable sentences",
			strings.Join(labels, ", "), dir)
		if label != "" {
			named = fmt.Sprintf("the classifier %q has no label %q: its labels are %s", dir, label, strings.Join(labels, ", "))
		}
		return 0, userr.New(userr.BadInput, "%s; name one with acceptable_label", named)
	}
	return class, nil
}
