package stages

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// TestPhrasesComeBack: the phrases that the stage finds in the training text are read back to the
// last bit.
func TestPhrasesComeBack(t *testing.T) {
	job := &stage.Job{Dir: t.TempDir(), Inputs: demoInputs(t)}
	if err := findPhrases(t.Context(), job, struct{}{}); err != nil {
		t.Fatal(err)
	}
	text, err := loadText(job, corpus.Train)
	if err != nil {
		t.Fatal(err)
	}
	want := guided.FindPhrases(text.encoded(corpus.Train), 2, text.vocab.Punctuation())
	got, err := loadPhrases(job.Dir, text.vocab)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("read back (-want +got):\n%s", d)
	}
	for from := range 2 {
		longest := 0
		table := got.Counterparts[corpus.Direction{From: from, To: 1 - from}]
		for p := range table {
			longest = max(longest, len(p.IDs()))
		}
		if len(table) < 20 || longest < 2 {
			t.Errorf("from style %d %d phrases of at most %d words are found: it says nothing", from, len(table), longest)
		}
	}
}

// somePhrases returns phrases of a small vocabulary and three styles.
func somePhrases() (*guided.Phrases, *corpus.Vocab) {
	v := corpus.BuildVocab([][]corpus.Sentence{{strings.Fields("was was was not not good bad")}, nil, nil}, 0)
	ids := func(words string) []int64 { return v.Encode(strings.Fields(words)) }
	p := &guided.Phrases{Counterparts: map[corpus.Direction]map[guided.Phrase][]guided.Counterpart{
		{From: 0, To: 2}: {
			guided.PhraseOf(ids("was not good")): {
				{IDs: ids("was"), Likeness: 1. / 3, Gain: math.Pi}, {IDs: ids("was not not bad"), Likeness: .25, Gain: 1},
			},
			guided.PhraseOf(ids("good")): {{IDs: ids("bad"), Likeness: 1, Gain: 2}},
		},
		{From: 1, To: 0}: {guided.PhraseOf(ids("bad")): {{IDs: ids("good"), Likeness: .5, Gain: 1e-9}}},
	}}
	for style := range 3 {
		var logs []float64
		for id := range v.Len() {
			logs = append(logs, -float64(id+1)/float64(style+3))
		}
		p.LogP = append(p.LogP, logs)
	}
	return p, v
}

// writtenPhrases writes phrases into a folder, as the stage does, and returns the folder.
func writtenPhrases(t *testing.T, p *guided.Phrases, v *corpus.Vocab) string {
	t.Helper()
	var phrases, words strings.Builder
	err := cmpOr(writePhrases(&phrases, p, v), writeWords(&words, p.LogP, v))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	testkit.WriteFile(t, filepath.Join(dir, phrasesFile), phrases.String())
	testkit.WriteFile(t, filepath.Join(dir, wordsFile), words.String())
	return dir
}

// TestPhrasesOfStyles: phrases of several styles are read back as they were written, and so is an
// empty list.
func TestPhrasesOfStyles(t *testing.T) {
	some, v := somePhrases()
	none := &guided.Phrases{
		Counterparts: map[corpus.Direction]map[guided.Phrase][]guided.Counterpart{}, LogP: some.LogP,
	}
	for _, want := range []*guided.Phrases{some, none} {
		got, err := loadPhrases(writtenPhrases(t, want, v), v)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("read back (-want +got):\n%s", d)
		}
	}
}

// TestDamagedPhrases: a damaged file is refused with its name and line.
func TestDamagedPhrases(t *testing.T) {
	p, v := somePhrases()
	const (
		header = "the line must be \"from\\tto\\tphrase\\tcounterpart\\tlikeness\\tgain\""
		row    = "the line must be two styles, a phrase, its counterpart and two numbers"
	)
	for _, c := range []struct{ file, from, to, want string }{
		{phrasesFile, phrasesHeader, "", phrasesFile + ":1: " + header},
		{phrasesFile, "from", "style", phrasesFile + ":1: " + header},
		{phrasesFile, "0\t2\tgood\tbad\t1\t2", "0\t2\tgood\tbad\t1", phrasesFile + ":4: " + row},
		{phrasesFile, "good\tbad\t1\t2", "good\tbad\t1\t2\t3", phrasesFile + ":4: " + row},
		{phrasesFile, "good\tbad\t1\t2", "good\tbad\t1\tmuch", phrasesFile + ":4: " + row},
		{phrasesFile, "good\tbad\t1\t2", "good\tbad\tNaN\t2", phrasesFile + ":4: " + row},
		{phrasesFile, "good\tbad\t1\t2", "good\tbad\t1\t1e999", phrasesFile + ":4: " + row},
		{phrasesFile, "good\tbad\t1\t2", "good\t\t1\t2", phrasesFile + ":4: " + row},
		{phrasesFile, "good\tbad\t1\t2", "\tbad\t1\t2", phrasesFile + ":4: " + row},
		{phrasesFile, "good\tbad\t1\t2", "good\tdreadful\t1\t2", phrasesFile + ":4: " + row},
		{phrasesFile, "good\tbad\t1\t2", "was was was was was\tbad\t1\t2", phrasesFile + ":4: " + row},
		{phrasesFile, "good\tbad\t1\t2", "good\twas was was was was\t1\t2", phrasesFile + ":4: " + row},
		{phrasesFile, "1\t0\tbad", "3\t0\tbad", phrasesFile + ":5: " + row},
		{phrasesFile, "1\t0\tbad", "1\t-1\tbad", phrasesFile + ":5: " + row},
		{phrasesFile, "1\t0\tbad", "0\t0\tbad", phrasesFile + ":5: " + row},
		{phrasesFile, "1\t0\tbad", "1.5\t0\tbad", phrasesFile + ":5: " + row},
		{wordsFile, "<unk>\t", "good\t", wordsFile + ":2: the line must be \"<unk>\" and a number for each style"},
		{wordsFile, "<unk>\t", "<unk>\tx", wordsFile + ":2: the line must be "},
		{wordsFile, "<unk>\t", "<unk>\t0\t", wordsFile + ":2: the line must be "},
		{wordsFile, "<mask>\t-1\t", "<mask>\t", wordsFile + ":3: the line must be "},
		{wordsFile, "\n", "\nmore\t1\t2\t3\n", wordsFile + ":2: the line must be "},
		{wordsFile, "was\t", "", wordsFile + ":12: the line must be \"was\" and a number for each style"},
	} {
		dir := writtenPhrases(t, p, v)
		path := filepath.Join(dir, c.file)
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(raw), c.from) {
			t.Fatalf("%s has no %q:\n%s", c.file, c.from, raw)
		}
		testkit.WriteFile(t, path, strings.Replace(string(raw), c.from, c.to, 1))
		_, err = loadPhrases(dir, v)
		testkit.WantError(t, err, userr.BadInput, dir, c.want, ": "+runAgain)
	}
	dir := writtenPhrases(t, p, v)
	raw, err := os.ReadFile(filepath.Join(dir, wordsFile))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(raw), "\n")
	for name, text := range map[string]string{
		"a line less": strings.Join(lines[:len(lines)-2], ""), "a line more": string(raw) + "<unk>\t-1\t-1\t-1\n", "empty": "",
	} {
		testkit.WriteFile(t, filepath.Join(dir, wordsFile), text)
		if _, err := loadPhrases(dir, v); err == nil || !strings.Contains(err.Error(), wordsFile) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.Remove(filepath.Join(dir, wordsFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := loadPhrases(dir, v); err == nil || !strings.Contains(err.Error(), wordsFile) {
		t.Errorf("without the file: %v", err)
	}
}
