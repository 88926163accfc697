package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/smlm-exp/smlm-exp/corpus"
)

// TestNegations: init lists entries whose words the training text has, as it spells contractions.
func TestNegations(t *testing.T) {
	all := strings.ReplaceAll(englishNegations, "->", "")
	for _, c := range []struct {
		name, text string
		has, lacks []string
	}{
		{"split", all, []string{"ca n't -> can", "n't ->", "'ll -> wo n't", "it 's -> it is n't"}, []string{"can't -> can"}},
		{
			"joined", joined.Replace(all) + " it's that's they're i'm",
			[]string{"can't -> can", "don't ->", "is -> isn't", "it's -> it isn't", "i'm -> i'm not"},
			[]string{"n't ->", "ca n't -> can"},
		},
		{
			"apart", strings.NewReplacer(" n't", "n t", " '", " ").Replace(all),
			[]string{"can t -> can", "don t ->", "is -> isn t", "it s -> it isn t", "i m -> i m not"},
			[]string{"n t ->", "ll -> won t"},
		},
	} {
		got := negations([][]corpus.Sentence{{strings.Fields(c.text)}, nil}, 1000)
		for _, entry := range c.has {
			if !slices.Contains(got, entry) {
				t.Errorf("%s: no %q in %q", c.name, entry, got)
			}
		}
		for _, entry := range c.lacks {
			if slices.Contains(got, entry) {
				t.Errorf("%s: %q in %q", c.name, entry, got)
			}
		}
	}
	if got := negations([][]corpus.Sentence{{strings.Fields("c' est la vie , no ? die can is not has been")}}, 1000); got != nil {
		t.Errorf("of French: %q", got)
	}
	var read struct {
		Guided struct{ Negations []string }
	}
	if _, err := toml.DecodeFile(filepath.Join("..", "experiments", "read.toml"), &read); err != nil {
		t.Fatal(err)
	}
	if got := negations([][]corpus.Sentence{{strings.Fields(all)}}, 1000); !slices.Equal(got, read.Guided.Negations) {
		t.Errorf("the list of init %q is not that of experiments/read.toml", got)
	}
}
