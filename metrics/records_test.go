package metrics

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// writtenAndRead writes records and reads them again: they must be unchanged.
func writtenAndRead(t *testing.T, records [][]Sentence) (text string, back [][]Sentence) {
	t.Helper()
	var file bytes.Buffer
	if err := WriteSentences(&file, records); err != nil {
		t.Fatal(err)
	}
	back, err := parseSentences("s.jsonl", file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(records, back); d != "" {
		t.Error(d)
	}
	return file.String(), back
}

// TestSentencesGolden compares the file of sentence scores with a golden file and checks that it is
// read back completely.
func TestSentencesGolden(t *testing.T) {
	r, err := Score(withEverything(inputs()))
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := WriteSentences(&text, r.Sentences); err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, filepath.Join("testdata", "sentences.jsonl"), text.String())
	path := filepath.Join(t.TempDir(), "sentences.jsonl")
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	back, err := ReadSentences(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.Sentences, back); diff != "" {
		t.Error(diff)
	}
	// The records that were read back must give exactly the same metrics as Score.
	again := overall(allMetrics(), contributionsOf(back)[0].totals())
	if len(again) < 19 {
		t.Errorf("of the sentences: %v", again)
	}
	for key, v := range again {
		if v != r.Metrics[key] {
			t.Errorf("%s is %v in the scores and %v of the sentences", key, r.Metrics[key], v)
		}
	}
	drawn := func(records [][]Sentence) []Values { return bootstrap(20, 1, contributionsOf(records)[0]) }
	if diff := cmp.Diff(drawn(r.Sentences), drawn(back)); diff != "" {
		t.Error(diff)
	}
}

// TestOriginsOfSentences checks that the origins of words are written before the numbers, are read
// back, and change no other byte and no number.
func TestOriginsOfSentences(t *testing.T) {
	write := func(origins bool) (string, [][]Sentence) {
		t.Helper()
		dirs, with := withEverything(inputs())
		r, err := Score(dirs, with)
		if err != nil {
			t.Fatal(err)
		}
		for k := range dirs {
			for i, words := range dirs[k].Output {
				if origins {
					r.Sentences[k][i].Origins = fmt.Appendf(nil, `{"guide":0.5,"words":[{"word":"<%s>","origin":"kept"}]}`, words[0])
				}
			}
		}
		return writtenAndRead(t, r.Sentences)
	}
	plain, old := write(false)
	told, both := write(true)
	before, after := strings.Split(plain, "\n"), strings.Split(told, "\n")
	const at, origins = `"line":1,`, `"origins":{"guide":0.5,"words":[{"word":"<the>","origin":"kept"}]},`
	if len(before) != len(after) || after[0] != strings.Replace(before[0], at, at+origins, 1) {
		t.Errorf("the first line is %s", after[0])
	}
	if d := cmp.Diff(bootstrap(20, 1, contributionsOf(old)[0]), bootstrap(20, 1, contributionsOf(both)[0])); d != "" {
		t.Error(d)
	}
	compared, err := compareOne(old, both, 20, 1)
	if err != nil || len(compared) == 0 {
		t.Errorf("a file with origins against one without: %d metrics, %v", len(compared), err)
	}
}

const (
	oneSentence = `{"from":"x","to":"y","line":1,"s_bleu":{"matches":[1,0,0,0],"totals":[2,1,0,0],"words":2,"reference_words":3},"rouge_l":0.4,"cider":0}`
	// nextOf lacks the closing brace, so that tests can append fields.
	nextOf = `{"from":"x","to":"y","line":2,"s_bleu":{"matches":[0,0,0,0],"totals":[0,0,0,0],"words":0,"reference_words":0},"rouge_l":0,"cider":0`
)

func TestReadSentencesRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", `the sentence scores "s.jsonl" are empty`},
		{"no object", "1\n", "sentence scores s.jsonl:1: the line is not the scores of one output"},
		{"empty line", oneSentence + "\n\n" + nextOf + "}", "s.jsonl:2: the line is not the scores of one output"},
		{"two objects", oneSentence + oneSentence, "s.jsonl:1: something follows the object"},
		{
			"another key", strings.Replace(oneSentence, "cider", "ciderd", 1),
			`s.jsonl:1: the line is not the scores of one output (json: unknown field "ciderd")`,
		},
		{
			"left out", oneSentence + "\n" + strings.Replace(nextOf, `"line":2`, `"line":3`, 1) + "}",
			`s.jsonl:2: the next sentence from "x" to "y" is 2, not 3`,
		},
		{
			"other metrics", oneSentence + "\n" + nextOf + `,"right":true}`,
			"s.jsonl:2: the sentence has the metrics [right] beside those that all have, the first of its direction " +
				"has []",
		},
		{
			"more matches than words", strings.Replace(oneSentence, "[1,0,0,0]", "[3,0,0,0]", 1),
			"s.jsonl:1: the counts of s_bleu do not fit each other",
		},
		{
			"totals of another length", strings.Replace(oneSentence, `"words":2`, `"words":3`, 1),
			"the counts of s_bleu do not fit each other",
		},
		{
			"no tokens", oneSentence + "\n" + nextOf + `,"log_prob":-3}`,
			"s.jsonl:2: log_prob and tokens, a number above 0, go together",
		},
		{
			"improbable", nextOf + `,"log_prob":-1201,"tokens":2}`,
			"s.jsonl:1: no perplexity can be made of the log_prob -1201 over 2 tokens",
		},
		{"one embedding metric", nextOf + `,"vector_extrema":1}`, "s.jsonl:1: the three embedding metrics go together"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parseSentences("s.jsonl", []byte(c.text))
			testkit.WantError(t, err, userr.BadInput, c.want)
		})
	}
	_, err := ReadSentences(filepath.Join(t.TempDir(), "none.jsonl"))
	testkit.WantError(t, err, userr.BadInput, "do not exist; score the outputs first")
}

// FuzzParseSentences checks that accepted records can be written, read again and resampled.
func FuzzParseSentences(f *testing.F) {
	f.Add([]byte(oneSentence + "\n" + nextOf + "}\n"))
	f.Add([]byte(oneSentence + "\n" + strings.Replace(oneSentence, `"x"`, `"z"`, 1)))
	f.Add([]byte(nextOf + `,"right":false,"log_prob":-1e300,"tokens":1}`))
	f.Add([]byte(nextOf + `,"origins":{ "words":[1, "<\\u003c"]}}`))
	f.Add([]byte(nextOf + `,"origins":null}`))
	f.Add([]byte(nextOf + `,"right":false,"log_prob":-600,"tokens":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		records, err := parseSentences("s", data)
		if err != nil {
			return
		}
		var text bytes.Buffer
		if err := WriteSentences(&text, records); err != nil {
			t.Fatal(err)
		}
		again, err := parseSentences("s", text.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(records, again); diff != "" {
			t.Error(diff)
		}
		for _, m := range bootstrap(2, 1, contributionsOf(records)[0]) {
			if _, err := json.Marshal(m); err != nil {
				t.Error(err)
			}
		}
	})
}
