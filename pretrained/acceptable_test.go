package pretrained

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
)

// TestClassesOfSentences compares the probabilities of every class with those of transformers,
// each sentence of another length.
func TestClassesOfSentences(t *testing.T) {
	r := openScores(t)
	for family, want := range r.Probabilities {
		parity.OnTorch(t, func() error {
			f, err := folder.Open(filepath.Join("testdata", family+"-classes"))
			if err != nil {
				return err
			}
			m, err := Open(f, 0, Classes)
			if err != nil {
				return err
			}
			defer m.Params.Free()
			var rows [][]int64
			for k := range r.Sentences {
				rows = append(rows, r.pieces(m, k))
			}
			got, err := m.probabilities(context.Background(), rows)
			if err != nil {
				return err
			}
			for k := range want {
				for c := range want[k] {
					if !(math.Abs(float64(got[k][c]-want[k][c])) <= 1e-5) {
						t.Errorf("%s, sentence %d: %v, transformers %v", family, k, got[k], want[k])
					}
				}
			}
			return nil
		})
	}
}

func TestAcceptableClass(t *testing.T) {
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
		"of three numbered": {[]string{"LABEL_0", "LABEL_1", "LABEL_2"}, "", 0, "cannot be told; name one"},
		"of other names":    {[]string{"bad", "good"}, "", 0, "which of the labels bad, good of"},
		"none such":         {[]string{"bad", "good"}, "fine", 0, `has no label "fine": its labels are bad, good`},
		"no classifier":     {nil, "", 0, "no head of a classifier"},
	} {
		got, err := AcceptableClass(&folder.Folder{Config: folder.Config{Labels: c.labels}}, c.label)
		if c.text == "" && (err != nil || got != c.want) {
			t.Errorf("%s: %d, %v", name, got, err)
		}
		if c.text != "" && (userr.CodeOf(err) != userr.BadInput || !strings.Contains(err.Error(), c.text)) {
			t.Errorf("%s: %v, want %q", name, err, c.text)
		}
	}
}

func TestWritten(t *testing.T) {
	if got := written.Replace("well , is it ( or not ) ok ? yes !"); got != "well, is it (or not) ok? yes!" {
		t.Errorf("written as %q", got)
	}
}
