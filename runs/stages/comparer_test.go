package stages

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
)

// TestComparer: if an output has several references, the closest one counts. Texts that were cut
// are counted.
func TestComparer(t *testing.T) {
	bert := filepath.FromSlash("../../pretrained/testdata/bert")
	dirs := []metrics.Input{{
		From: "a", To: "b", Source: testkit.Split("the lamp is on", "we left"),
		Output:     testkit.Split("the lamp is off .", "we left"),
		References: [][][]string{testkit.Split("the lamp is off .", "nobody came"), testkit.Split("no lamp", "we left")},
	}}
	err := torch.Run(func() error {
		c, err := openComparer(bert, folder.Sentences{MaxPieces: 39})
		if err != nil {
			return err
		}
		defer c.Params.Free()
		if err := c.encode(t.Context(), dirs); err != nil {
			return err
		}
		e := *dirs[0].Encoded
		for i, s := range e.References.BERTScores { // each output equals one of its references
			if math.Abs(s-1) > 1e-6 || math.Abs(e.References.Cosines[i]-1) > 1e-6 {
				t.Errorf("output %d, which is a reference, has %+v and the cosine %v", i, s, e.References.Cosines[i])
			}
		}
		if first := e.Source.BERTScores[0]; !(first < .999) || math.Abs(e.Source.BERTScores[1]-1) > 1e-6 {
			t.Errorf("beside the sources: %+v", e.Source.BERTScores)
		}
		if e.Matching != "layer:2|idf:no" {
			t.Errorf("matching is %q", e.Matching)
		}
		if warning := c.truncation(); warning != "" {
			t.Errorf("no text is long: %q", warning)
		}
		dirs[0].Output[1] = testkit.Split(strings.Repeat("word ", 200))[0]
		if err := c.encode(t.Context(), dirs); err != nil {
			return err
		}
		if warning := c.truncation(); !strings.Contains(warning, "reads at most 39 pieces of a text") ||
			!strings.Contains(warning, "the ends of 1 text (") {
			t.Errorf("a long output: %q", warning)
		}
		if warning := c.unknown(); warning != "" {
			t.Errorf("most words are known: %q", warning)
		}
		dirs[0].Output[1] = testkit.Split(strings.Repeat("ξένος ", 30))[0]
		if err := c.encode(t.Context(), dirs); err != nil {
			return err
		}
		if warning := c.unknown(); !strings.Contains(warning, "does not know") {
			t.Errorf("an output in another language: %q", warning)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
