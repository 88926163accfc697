package stages

import (
	"fmt"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// References come in the writing that the data set's vocabulary knows best.
func TestLikeSources(t *testing.T) {
	refs := [2][]corpus.Sentence{{{"I", "don't", "eat", "It."}}, {{"It's", "good"}}}
	for _, c := range []struct{ training, want string }{
		{"i do n't eat it . it 's good", "[[i do n't eat it .]] [[it 's good]]"},
		{"i don t eat it . it s good", "[[i don t eat it .]] [[it s good]]"},
		{"I don't eat It. It's good", "[[I don't eat It.]] [[It's good]]"},
	} {
		train := [][]corpus.Sentence{{strings.Fields(c.training)}}
		tx := &text{Dataset: &corpus.Dataset{Refs: refs}, vocab: corpus.BuildVocab(train, 100)}
		if got := likeSources(tx); fmt.Sprint(got[0], " ", got[1]) != c.want {
			t.Errorf("%q: %v, want %s", c.training, got, c.want)
		}
	}
}
