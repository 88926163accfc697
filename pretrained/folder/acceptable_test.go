package folder

import (
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

func TestAcceptable(t *testing.T) {
	for name, c := range map[string]struct {
		labels []string
		label  string
		want   int
		text   string
	}{
		"numbered as CoLA":  {[]string{"LABEL_0", "LABEL_1"}, "", 1, ""},
		"named":             {[]string{"acceptable", "unacceptable"}, "", 0, ""},
		"given":             {[]string{"LABEL_0", "LABEL_1"}, "LABEL_0", 0, ""},
		"of three, named":   {[]string{"odd", "Grammatical", "bad"}, "", 1, ""},
		"of three numbered": {[]string{"LABEL_0", "LABEL_1", "LABEL_2"}, "", 0, "do not say which one is for acceptable sentences; name one"},
		"of other names":    {[]string{"bad", "good"}, "", 0, "the labels bad, good of"},
		"none such":         {[]string{"bad", "good"}, "fine", 0, `has no label "fine": its labels are bad, good`},
		"no classifier":     {nil, "", 0, "no classifier head"},
	} {
		got, err := Acceptable("judge", c.labels, c.label)
		if c.text == "" && (err != nil || got != c.want) {
			t.Errorf("%s: %d, %v", name, got, err)
		}
		if c.text != "" && (userr.CodeOf(err) != userr.BadInput || !strings.Contains(err.Error(), c.text)) {
			t.Errorf("%s: %v, want %q", name, err, c.text)
		}
	}
}

func TestClassLabels(t *testing.T) {
	unnamed := Config{Head: "RobertaForSequenceClassification"}
	if class, err := Acceptable("judge", unnamed.ClassLabels(), ""); err != nil || class != 1 {
		t.Errorf("of two classes without names %d is acceptable, %v", class, err)
	}
	if labels := (&Config{Head: "BertForMaskedLM"}).ClassLabels(); labels != nil {
		t.Errorf("a masked language model has the labels %v", labels)
	}
}
