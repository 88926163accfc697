package intake

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

func build(t *rapid.T, rows []Row, seed uint64) (*corpus.Dataset, Counts) {
	return buildBy(t, Options{Labels: []string{"bad", "good"}, Dev: .2, Test: .2, Seed: seed}, rows)
}

// buildBy builds the data set. It skips the test case if a style has no sentence in one of the
// splits.
func buildBy(t *rapid.T, o Options, rows []Row) (*corpus.Dataset, Counts) {
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if err := s.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	d, err := s.Dataset("mine")
	if err != nil {
		t.Skip("a part is empty")
	}
	return d, s.Counts
}

// places returns the place (style and split) of each sentence.
func places(d *corpus.Dataset) map[string]string {
	at := map[string]string{}
	for _, split := range corpus.Splits {
		for style, text := range d.Text[split] {
			for _, words := range text {
				key := strings.Join(words, " ")
				if at[key] != "" {
					panic(key + " is twice in the data set")
				}
				at[key] = fmt.Sprint(split, style)
			}
		}
	}
	return at
}

// TestSplits checks that no sentence is in two places and that reordering the rows moves no
// sentence. Adding rows may remove sentences from the data set, but must move none of the others.
func TestSplits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.StringMatching(`[a-d]{1,2}( [a-d]{1,2}){0,3}`)
		row := rapid.Custom(func(t *rapid.T) Row {
			return Row{Text: words.Draw(t, "text"), Label: rapid.SampledFrom([]string{"bad", "good"}).Draw(t, "label")}
		})
		rows := rapid.SliceOfN(row, 40, 200).Draw(t, "rows")
		seed := rapid.Uint64().Draw(t, "seed")
		d, counts := build(t, rows, seed)
		at := places(d)
		if n := counts.Taken + counts.Repeats + counts.Refused; counts.Rows != len(rows) || counts.Taken != len(at) ||
			n > counts.Rows {
			t.Fatalf("%d rows, %d sentences: %+v", len(rows), len(at), counts)
		}
		other, _ := build(t, rapid.Permutation(rows).Draw(t, "order"), seed)
		if !reflect.DeepEqual(at, places(other)) {
			t.Fatal("another order of rows moves sentences")
		}
		more, _ := build(t, slices.Concat(rows, rapid.SliceOfN(row, 0, 50).Draw(t, "more")), seed)
		for key, place := range places(more) {
			if at[key] != "" && at[key] != place {
				t.Fatalf("%q moves from %s to %s with more data", key, at[key], place)
			}
		}
	})
}

// TestShares checks that dev and test get the requested shares of 20,000 sentences, and that
// another seed draws other sentences. The standard deviation of the number of dev sentences is 42,
// that of test sentences 31.
func TestShares(t *testing.T) {
	size := map[uint64][3]int{}
	var texts []string
	for seed := range uint64(2) {
		s, err := New(Options{Dev: .1, Test: .05, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 20_000 {
			if err := s.Add(Row{Text: fmt.Sprint("w", i), Label: fmt.Sprint(i % 2)}); err != nil {
				t.Fatal(err)
			}
		}
		d, err := s.Dataset("d")
		if err != nil {
			t.Fatal(err)
		}
		n := [3]int{d.Size(corpus.Train), d.Size(corpus.Dev), d.Size(corpus.Test)}
		if math.Abs(float64(n[1]-2000)) > 200 || math.Abs(float64(n[2]-1000)) > 150 || n[0]+n[1]+n[2] != 20_000 {
			t.Errorf("seed %d: %v", seed, n)
		}
		size[seed] = n
		texts = append(texts, d.Text[corpus.Test][0][0][0])
	}
	if texts[0] == texts[1] && size[0] == size[1] {
		t.Error("two seeds draw the same")
	}
}

// TestManyStyles checks that the error for too many labels names the first row that exceeds the
// limit. It also checks that a sentence that occurs in two of three styles is left out of all
// styles.
func TestManyStyles(t *testing.T) {
	s, err := New(Options{Dev: .1, Test: .1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 65 {
		err = s.Add(Row{Text: "soup", Label: fmt.Sprint("l", i), Path: "a.csv", Line: i + 2})
		if i < 64 && err != nil {
			t.Fatal(err)
		}
	}
	testkit.WantError(t, err, userr.BadInput, `a.csv:66: with the label "l64" there are more than 64: name the column of labels`)

	if s, err = New(Options{Dev: .1, Test: .1}); err != nil {
		t.Fatal(err)
	}
	add := func(text, label, split string) {
		if err := s.Add(Row{Text: text, Label: label, Split: split}); err != nil {
			t.Fatal(err)
		}
	}
	for _, split := range []string{"train", "dev", "test"} {
		for _, label := range []string{"c", "b", "a"} {
			add(label+" "+split, label, split)
		}
	}
	add("c train", "a", "train") // this sentence is now in the styles "c" and "a"
	_, err = s.Dataset("d")
	testkit.WantError(t, err, userr.BadInput, "no sentence in the style c is left for train (left out 2 of 10 rows: "+
		"2 that occur in several styles): give more texts that occur in one style only")
	add("one more", "c", "train")
	d, err := s.Dataset("d")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"one more": fmt.Sprint(corpus.Train, 2)}
	for style, label := range []string{"a", "b", "c"} {
		for _, split := range corpus.Splits {
			want[fmt.Sprint(label, " ", split)] = fmt.Sprint(split, style)
		}
	}
	delete(want, "c train")
	if at := places(d); !reflect.DeepEqual(at, want) || s.Counts.Both != 2 || s.Counts.Taken != len(want) {
		t.Errorf("%v, want %v: %+v", at, want, s.Counts)
	}
}

// TestControlCharacters checks that a label with a control character is refused. The error must
// name the file and line of a row with this label.
func TestControlCharacters(t *testing.T) {
	_, err := New(Options{Labels: []string{"a", "b\x1b[31m"}, Dev: .1, Test: .1})
	if err == nil || !strings.Contains(err.Error(), "contains the control character U+001B, which no table can show: name") ||
		userr.CodeOf(err) != userr.BadInput {
		t.Error(err)
	}
	s, err := New(Options{Dev: .1, Test: .1})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Add(Row{Text: "soup", Label: "a\tb", Path: "a.csv", Line: 7})
	want := `a.csv:7: the label "a\tb" contains the control character U+0009, which no table can show: remove it`
	if err == nil || err.Error() != want || userr.CodeOf(err) != userr.BadInput {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestCounts checks how many rows are counted as left out, for each reason.
func TestCounts(t *testing.T) {
	s, err := New(Options{Dev: .1, Test: .1})
	if err != nil {
		t.Fatal(err)
	}
	add := func(text, label, split string) {
		row := Row{Text: text, Label: label, Split: split, Path: "a.csv", Line: s.added.Rows + 2}
		if err := s.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	for _, split := range []string{"train", "Validation", "test"} {
		for _, label := range []string{"pos", "neg"} {
			add("a "+label+" "+split, label, split)
		}
	}
	add("A  POS train", "pos", "train")   // a repetition
	add("a pos test", "pos", "train")     // leakage from test into train
	add("a neg validation", "pos", "dev") // in both styles
	add("", "pos", "train")               // refused, as it is empty
	add(strings.Repeat("x", 2000), "neg", "train")
	d, err := s.Dataset("d")
	if err == nil || !strings.Contains(err.Error(), "style neg is left for dev (left out 6 of 11 rows: "+
		"1 that repeat another one of their style, 1 that are also in a later split, 2 that cannot be cut into words, "+
		"2 that occur in both styles; the first that cannot be cut is a.csv:11: ") {
		t.Fatalf("%v, %v", d, err)
	}
	add("b neg dev", "neg", "dev")
	if d, err = s.Dataset("d"); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.Labels, corpus.Styles{"neg", "pos"}) || len(d.Text[corpus.Test][1]) != 1 || len(d.Text[corpus.Train][1]) != 1 {
		t.Errorf("%+v", d)
	}
	want := Counts{Rows: 12, Taken: 6, Repeats: 1, Both: 2, Leaks: 1, Refused: 2, FirstRefused: s.Counts.FirstRefused}
	if !reflect.DeepEqual(s.Counts, want) {
		t.Errorf("%+v, want %+v", s.Counts, want)
	}
	if first := s.Counts.FirstRefused; !strings.HasPrefix(first, "a.csv:11: ") {
		t.Errorf("refused %q", first)
	}
	for _, r := range []Row{
		{Text: "x", Label: " "}, {Text: "x", Label: "pos", Split: "tset"},
	} {
		if err := s.Add(r); err == nil {
			t.Errorf("%+v is taken", r)
		}
	}
	for _, o := range []Options{
		{Dev: 0, Test: .1},
		{Dev: .5, Test: .5},
		{Dev: math.NaN(), Test: .1},
		{Dev: .1, Test: .1, Labels: []string{"a"}},
		{Dev: .1, Test: .1, Labels: []string{"a", "a"}},
		{Dev: .1, Test: .1, Labels: []string{"caf\u00e9", "cafe\u0301"}},
		{Dev: .1, Test: .1, Labels: []string{"a", "b", "a"}},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

// TestWhyNothingIsLeft checks the error if a style has no sentence for a split. It must say how
// many texts were left out, and why.
func TestWhyNothingIsLeft(t *testing.T) {
	for _, c := range map[string]struct {
		bad, good []string
		want      string
	}{
		"both": {
			[]string{"one", "two"},
			[]string{"one", "two"},
			"no sentence in the style bad is left for train (left out 4 of 4 rows: 4 that occur in both styles): give more texts",
		},
		"refused": {
			[]string{"one", "two", "three"},
			[]string{"caf\ufffd", "th\ufffd"},
			"no sentence in the style good is left for train (left out 2 of 5 rows: 2 that cannot be cut into words; the " +
				"first that cannot be cut is good.txt:1: the character U+FFFD",
		},
		"another encoding": {
			[]string{"one", "two", "three"},
			[]string{"caf\xe9", "four"},
			"1 of 5 texts are not UTF-8: convert the files, for example with iconv -f LATIN1 -t UTF-8",
		},
		"few": {
			[]string{"one", "two"},
			[]string{"three", "four"},
			"is left for dev (left out 0 of 4 rows): give more texts that occur in one style only, or other shares",
		},
	} {
		s, err := New(Options{Labels: []string{"bad", "good"}, Dev: .01, Test: .01})
		if err != nil {
			t.Fatal(err)
		}
		for label, texts := range map[string][]string{"bad": c.bad, "good": c.good} {
			for i, text := range texts {
				if err := s.Add(Row{Text: text, Label: label, Path: label + ".txt", Line: i + 1}); err != nil {
					t.Fatal(err)
				}
			}
		}
		_, err = s.Dataset("d")
		testkit.WantError(t, err, userr.BadInput, c.want)
	}
}

// TestLabelsThatLookAlike checks that labels which are equal after normalisation are one style.
// Labels that people could mistake for one another must be refused, unless the user names the
// styles.
func TestLabelsThatLookAlike(t *testing.T) {
	add := func(o Options, labels ...string) (*Set, error) {
		o.Dev, o.Test = .1, .1
		s, err := New(o)
		for i, label := range labels {
			if err == nil {
				err = s.Add(Row{Text: fmt.Sprint("soup number ", i), Label: label, Path: "a.csv", Line: i + 2})
			}
		}
		return s, err
	}
	for _, labels := range [][]string{
		{"neg", " neg ", "neg\u200b", "pos"},
		{"n\u00e9gatif", "ne\u0301gatif", "positif"},
		{"01", "1"},
		{"1.5", "1"},
		{"12345678901234567890", "12345678901234567891"},
	} {
		s, err := add(Options{}, labels...)
		if err != nil || len(s.labels) != 2 {
			t.Errorf("%+q: %+q, %v", labels, s.labels, err)
		}
	}
	for want, labels := range map[string][]string{
		`a.csv:3: the labels "NEG" and "Neg" differ only in letter case, in spaces or in how a character or number is written`: {"NEG", "Neg"},
		"the labels \"very rude\" and \"very  rude\" differ only":                                                              {"very rude", "very  rude"},
		"the labels \"1\" and \"\uff11\" differ only":                                                                          {"1", "\uff11"},
		`the labels "FALSE" and "False" differ only`:                                                                           {"FALSE", "False"},
		`the labels "0" and "0.0" differ only`:                                                                                 {"0", "1", "0.0"},
		`the labels "1.50" and "1.5" differ only`:                                                                              {"1.50", "1.5"},
		`the labels "1" and "1e0" differ only`:                                                                                 {"1", "1e0"},
		`the labels "1" and "+1" differ only`:                                                                                  {"1", "+1"},
		`the labels "STRASSE" and "Straße" differ only`:                                                                        {"STRASSE", "Straße"},
		`the label "N/A" is how programs write a missing value`:                                                                {"pos", "neg", "N/A"},
		`the label "None" is how programs write a missing value`:                                                               {"pos", "None"},
		`a.csv:4: the label "nan" is how programs write a missing value: remove the row`:                                       {"neg", "pos", "nan"},
	} {
		_, err := add(Options{}, labels...)
		testkit.WantError(t, err, userr.BadInput, want)
	}
	if s, err := add(Options{Labels: []string{"nan", "NAN"}}, "nan", "NAN"); err != nil || len(s.labels) != 2 {
		t.Errorf("named labels: %v", err)
	}
}

// TestUnicodeForms checks that a text is the same in every Unicode form. Rows that normalisation
// changes must be counted.
func TestUnicodeForms(t *testing.T) {
	s, err := New(Options{Dev: .1, Test: .1})
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"caf\u00e9 noir", "cafe\u0301 noir", "\u200ecaf\u00e9 noir", "the"} {
		if err := s.Add(Row{Text: text, Label: "a", Path: "a.csv", Line: i + 2}); err != nil {
			t.Fatal(err)
		}
	}
	if s.added.Repeats != 2 || s.added.Changed != 2 || len(s.rows) != 2 {
		t.Errorf("%+v, %d different texts", s.added, len(s.rows))
	}
}
