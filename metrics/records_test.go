package metrics

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

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
	if len(again) < 15 {
		t.Errorf("of the sentences: %v", again)
	}
	for key, v := range again {
		if v != r.Metrics[key] {
			t.Errorf("%s is %v in the scores and %v of the sentences", key, r.Metrics[key], v)
		}
	}
	drawn := func(records [][]Sentence) []Values { return bootstrap(20, contributionsOf(records)[0]) }
	if diff := cmp.Diff(drawn(r.Sentences), drawn(back)); diff != "" {
		t.Error(diff)
	}
}

const oneSentence = `{"from":"x","to":"y","line":1,"s_bleu":[1,0,0,0,2,1,0,0,2,3],"rouge_l":0.4,"cider":0}`

func TestReadSentencesRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", `the sentence scores "s.jsonl" are empty`},
		{"no object", "1\n", "sentence scores s.jsonl:1: the line is not the scores of one output"},
		{"empty line", oneSentence + "\n\n" + oneSentence, "s.jsonl:2: the line is not the scores of one output"},
		{"two objects", oneSentence + oneSentence, "s.jsonl:1: the line is not the scores of one output"},
		{
			"no number", strings.Replace(oneSentence, "0.4", `"0.4"`, 1),
			"s.jsonl:1: the line is not the scores of one output (rouge_l: json: cannot unmarshal string",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parseSentences("s.jsonl", []byte(c.text))
			testkit.WantError(t, err, userr.BadInput, c.want)
		})
	}
	_, err := ReadSentences(filepath.Join(t.TempDir(), "none.jsonl"))
	testkit.WantError(t, err, userr.BadInput, "do not exist; score the outputs first")
}

// FuzzParseSentences checks that accepted records can be written and read again.
func FuzzParseSentences(f *testing.F) {
	f.Add([]byte(oneSentence + "\n" + strings.Replace(oneSentence, `"line":1`, `"line":2`, 1) + "\n"))
	f.Add([]byte(oneSentence + "\n" + strings.Replace(oneSentence, `"x"`, `"<"`, 1)))
	f.Add([]byte(strings.Replace(oneSentence, "0.4", "-1e300", 1)))
	f.Add([]byte(strings.Replace(oneSentence, "0.4", "[]", 1)))
	f.Add([]byte(strings.Replace(oneSentence, "0.4", "null", 1)))
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
	})
}
