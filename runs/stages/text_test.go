package stages

import (
	"reflect"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// TestByDirection: byDirection splits a list of outputs into one part per direction, and byStyle
// splits a list of sentences into one part per style. The test uses three styles.
func TestByDirection(t *testing.T) {
	d := corpus.NewDataset("toy", corpus.Styles{"a", "b", "c"})
	for style, words := range []string{"a1 a2", "b1", "c1 c2 c3"} {
		for _, word := range strings.Fields(words) {
			d.Text[corpus.Dev][style] = append(d.Text[corpus.Dev][style], corpus.Sentence{word})
		}
	}
	all := &text{d, corpus.BuildVocab(d.Text[corpus.Dev], 0)}
	asked := all.encoded(corpus.Dev).ToRewrite(d.Labels.Directions())
	var written, got []string
	for _, ids := range asked.IDs {
		written = append(written, strings.Join(all.vocab.Decode(ids), " "))
	}
	for _, lines := range byDirection(all, corpus.Dev, d.Labels.Directions(), written) {
		got = append(got, strings.Join(lines, " "))
	}
	if want := []string{"a1 a2", "a1 a2", "b1", "b1", "c1 c2 c3", "c1 c2 c3"}; !reflect.DeepEqual(got, want) {
		t.Errorf("by direction %q, want %q", got, want)
	}
	if got := byStyle(all, corpus.Dev, sentences(d, corpus.Dev)); !reflect.DeepEqual(got, d.Text[corpus.Dev]) {
		t.Errorf("by style %q, want %q", got, d.Text[corpus.Dev])
	}
}
