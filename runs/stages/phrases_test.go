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
	dir := t.TempDir()
	if err := savePhrases(dir, p, v); err != nil {
		t.Fatal(err)
	}
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

// TestDamagedPhrases: a damaged file is refused with its name, and with the number of the phrase.
func TestDamagedPhrases(t *testing.T) {
	p, v := somePhrases()
	const (
		second = phrasesFile + ": phrase 2 must have two styles, known words and counterparts"
		third  = phrasesFile + ": phrase 3 must have two styles, known words and counterparts"
		logs   = phrasesFile + " must have numbers of two styles or more for each of "
	)
	for _, c := range []struct{ from, to, want string }{
		{`"phrase":"good"`, `"phrase":""`, second},
		{`"phrase":"good"`, `"phrase":"dreadful"`, second},
		{`"phrase":"good"`, `"phrase":"was was was was was"`, second},
		{`"words":"bad","likeness":1`, `"words":"","likeness":1`, second},
		{`"words":"bad","likeness":1`, `"words":"dreadful","likeness":1`, second},
		{`"words":"bad","likeness":1`, `"words":"was was was was was","likeness":1`, second},
		{`"from":1,"to":0`, `"from":3,"to":0`, third},
		{`"from":1,"to":0`, `"from":1,"to":-1`, third},
		{`"from":1,"to":0`, `"from":0,"to":0`, third},
		{`"from":1,"to":0`, `"from":1.5,"to":0`, "cannot unmarshal"},
		{`"gain":2`, `"gain":1e999`, "cannot unmarshal"},
		{`"gain":2`, `"gain":NaN`, "invalid character"},
		{`"log_p":[[`, `"log_p":[[0,`, logs},
		{`"log_p":[[`, `"log_p":[[],[`, logs},
		{`"log_p"`, `"log"`, logs},
		{`{`, ``, "invalid character"},
	} {
		dir := writtenPhrases(t, p, v)
		path := filepath.Join(dir, phrasesFile)
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(raw), c.from) {
			t.Fatalf("%s has no %q:\n%s", phrasesFile, c.from, raw)
		}
		testkit.WriteFile(t, path, strings.Replace(string(raw), c.from, c.to, 1))
		_, err = loadPhrases(dir, v)
		testkit.WantError(t, err, userr.BadInput, dir, c.want, ": let run write it again")
	}
	if _, err := loadPhrases(t.TempDir(), v); err == nil || !strings.Contains(err.Error(), phrasesFile) {
		t.Errorf("without the file: %v", err)
	}
}
