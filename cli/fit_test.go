package cli

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// TestFewSentencesHaveSteps checks that every training has the minimum number of steps, however few
// sentences there are, and that `init` adds no more epochs than this minimum requires.
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

// TestManyUnknownWords checks that `init` enlarges the vocabulary if more than a tenth of the dev
// words are unknown and the training text contains some of these words.
func TestManyUnknownWords(t *testing.T) {
	const distinct = 6000 // number of rare words; each occurs once in the training text, next to a frequent word
	var train [2][]corpus.Sentence
	for i := range distinct {
		train[i%2] = append(train[i%2], corpus.Sentence{"often", "word" + strconv.Itoa(10_000+i)})
	}
	// Of equally frequent words, the vocabulary leaves out the last. The variable "rare" holds this
	// word.
	rare, never := "word"+strconv.Itoa(10_000+distinct-1), "never"
	for _, c := range []struct {
		name  string
		dev   corpus.Sentence
		vocab int
	}{
		{"a sixth is rare", corpus.Sentence{"often", "often", "often", "often", "often", rare}, maxVocab},
		{"a tenth is rare", append(slices.Repeat(corpus.Sentence{"often"}, 9), rare), 5000},
		{"a half is in no training sentence", corpus.Sentence{"often", never}, 5000},
	} {
		d := corpus.NewDataset("invented", corpus.Styles{"0", "1"})
		d.Text[corpus.Train], d.Text[corpus.Dev] = train[:], [][]corpus.Sentence{{c.dev}, {c.dev}}
		s := starter{Labels: d.Labels, fit: fitFor(distinct)}
		if s.widen(d); s.Vocab != c.vocab || (s.Unknown != "") != (c.vocab == maxVocab) {
			t.Errorf("%s: vocabulary %d, %q, want %d", c.name, s.Vocab, s.Unknown, c.vocab)
		}
	}
}

// TestStarterComments checks that every key in the file that init writes has a comment, and that no
// line is longer than 140 characters.
func TestStarterComments(t *testing.T) {
	all := starter{
		Name: "mine", File: "mine.toml", Dir: "../mine", Labels: corpus.Styles{"calm", "loud", "gruff"},
		Naturalness: []string{"n.tsv"}, References: "../mine/references", fit: fitFor(100_000),
	}
	few := starter{Name: "mine", Labels: corpus.Styles{"calm", "loud"}, Decided: `47 % of "loud"`, fit: fitFor(100)}
	few.Unknown = "with 5000, 17 % of the dev words would be unknown"
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
