package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// TestFewSentencesHaveSteps: of however few sentences every training has the steps that it needs;
// of many the epochs stay as they were found.
func TestFewSentencesHaveSteps(t *testing.T) {
	for _, n := range []int{100, 483, 4693, 17_112, 100_000} {
		lengths := make([]int, n)
		for i := range lengths {
			lengths[i] = 5 + i%11
		}
		f := fitFor(n)
		f.stretch(lengths)
		judge := len(corpus.Batches(lengths, f.BatchTokens, 1, 0))
		attention := len(corpus.Batches(lengths, f.AttentionTokens, 1, 0))
		for _, c := range []struct {
			name           string
			epochs, steps  int
			atLeast, found int
		}{
			{"divlstm", f.AttentionEpochs, attention, 1000, fitFor(n).AttentionEpochs},
			{"smlm", f.Epochs, f.Steps, 1000, fitFor(n).Epochs},
			{"classifier", f.JudgeEpochs, judge, 500, fitFor(n).JudgeEpochs},
			{"guide", f.GuideEpochs, judge, 300, fitFor(n).GuideEpochs},
			{"fasttext", f.SelectorEpochs, n, 20_000, fitFor(n).SelectorEpochs},
		} {
			if c.epochs*c.steps < c.atLeast {
				t.Errorf("%d sentences: %s has %d epochs of %d steps, fewer than %d steps", n, c.name, c.epochs, c.steps, c.atLeast)
			}
			if c.epochs > c.found && (c.epochs-1)*c.steps >= c.atLeast {
				t.Errorf("%d sentences: %s has %d epochs of %d steps, more than needed", n, c.name, c.epochs, c.steps)
			}
		}
	}
	few, many := fitFor(100), fitFor(4693)
	if few.stretch(slices.Repeat([]int{10}, 100)); few.AttentionEpochs <= many.AttentionEpochs {
		t.Errorf("of 100 sentences %d epochs", few.AttentionEpochs)
	}
}

// TestStarterComments: every key of the file that init writes has a comment, and no line is too
// long to read.
func TestStarterComments(t *testing.T) {
	all := starter{
		Name: "mine", File: "mine.toml", Dir: "../mine", Labels: corpus.Styles{"calm", "loud", "gruff"},
		Naturalness: []string{"n.tsv"}, References: "../mine/references", fit: fitFor(100_000),
	}
	few := starter{Name: "mine", Labels: corpus.Styles{"calm", "loud"}, Decided: `47 % of "loud"`, fit: fitFor(100)}
	for _, s := range []starter{all, few} {
		var b strings.Builder
		if err := s.write(&b); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if _, comment, _ := strings.Cut(line, " # "); strings.Contains(line, " = ") && line[0] != '#' && comment == "" {
				t.Errorf("no comment: %q", line)
			}
			if n := len([]rune(line)); n > 140 || strings.Contains(line, "\t") {
				t.Errorf("%d characters: %q", n, line)
			}
		}
	}
}
