package intake

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// TestPairsOfTables checks that every format gives the same sources and rewrites. A rewrite may be
// missing.
func TestPairsOfTables(t *testing.T) {
	for name, content := range map[string]string{
		"a.csv": "id,rude,kind,kinder,part\n1,Bad tea!,Fine tea.,\"Tea, fine.\",test\n2,Bad cup!,Fine cup.,,\n" +
			"3,Bad pot!, ,,\n",
		"a.tsv": "id\trude\tkind\tkinder\tpart\n1\tBad tea!\tFine tea.\tTea, fine.\ttest\n" +
			"2\tBad cup!\tFine cup.\t\t\n3\tBad pot!\t\t\t\n",
		"a.jsonl": `{"rude":"Bad tea!","kind":"Fine tea.","kinder":"Tea, fine.","part":"test"}` + "\n" +
			`{"rude":"Bad cup!","kind":"Fine cup.","kinder":null,"part":""}` + "\n" +
			`{"rude":"Bad pot!","part":""}` + "\n",
	} {
		var got []Row
		path := file(t, name, []byte(content))
		s := Source{Path: path, Text: "rude", Rewrites: []string{"kind", "kinder"}, Split: "part"}
		err := Read(s, func(r Row) error {
			r.Path, r.Line = "", 0
			got = append(got, r)
			return nil
		})
		want := []Row{
			{Text: "Bad tea!", Rewrites: []string{"Fine tea.", "Tea, fine."}, Split: "test"},
			{Text: "Bad cup!", Rewrites: []string{"Fine cup."}},
			{Text: "Bad pot!", Rewrites: []string{}},
		}
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, d)
		}
	}
	kind := []string{"kind"}
	for _, c := range []struct {
		name, content string
		source        Source
		want          string
	}{
		{
			"a.csv", "rude,kind\na,b\n",
			Source{Text: "rude", Rewrites: []string{"kinder"}},
			"no column kinder: name it with --rewrite-column, one of rude, kind",
		},
		{
			"a.csv", "rude,kind\na,b\n",
			Source{Text: "r", Rewrites: kind},
			"no column r: name it with --source-column, one of rude, kind",
		},
		{
			"a.jsonl", `{"rude":"a","kind":["b",3]}`,
			Source{Text: "rude", Rewrites: kind},
			`a.jsonl:1: "kind" is neither text nor a number`,
		},
	} {
		c.source.Path = file(t, c.name, []byte(c.content))
		testkit.WantError(t, Read(c.source, func(Row) error { return nil }), userr.BadInput, c.want)
	}
}

// The function paired builds a set from rows that are pairs.
func paired(t interface{ Fatal(why ...any) }, o Options, rows []Row) *Set {
	o.Labels = []string{"rude", "kind"}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if err := s.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestPairs checks for any pairs that no sentence is in two places. The sentences of a pair must be
// in the same split, or in none if they occur in both styles. Each line of references must be a
// rewrite of the test sentence with the same line number. Reordering the rows must move no
// sentence.
func TestPairs(t *testing.T) {
	split := 0
	rapid.Check(t, func(t *rapid.T) {
		word := func(of string) *rapid.Generator[string] { return rapid.StringMatching(`[` + of + `]{1,2} [a-d]{1,2}`) }
		row := rapid.Custom(func(t *rapid.T) Row {
			r := Row{Text: word("a-f").Draw(t, "source"), Label: "rude"}
			if rapid.IntRange(0, 5).Draw(t, "alone") > 0 {
				r.Label, r.Rewrites = "", rapid.SliceOfN(word("d-k"), 0, 3).Draw(t, "rewrites")
			}
			return r
		})
		rows := rapid.SliceOfN(row, 60, 120).Draw(t, "rows")
		o := Options{Dev: .3, Test: .3, Seed: rapid.Uint64().Draw(t, "seed")}
		if rapid.Bool().Draw(t, "named") {
			for i := range rows {
				rows[i].Split = rapid.SampledFrom([]string{"train", "dev", "test"}).Draw(t, "split")
			}
		}
		s := paired(t, o, rows)
		d, err := s.Dataset("d")
		if err != nil {
			t.Skip("a part is empty")
		}
		at := places(d)
		n := &s.Counts
		if n.Taken != len(at) || n.Rows < n.Taken+n.Repeats+n.Leaks+n.Refused+n.Alone {
			t.Fatalf("%d sentences: %+v", len(at), n)
		}
		written := map[string][]string{}
		for _, r := range rows {
			for _, rewrite := range r.Rewrites {
				written[r.Text] = append(written[r.Text], rewrite)
				if a, b := at[r.Text], at[rewrite]; r.Split == "" && a != "" && b != "" && splitIn(a) != splitIn(b) {
					t.Fatalf("%q is in %s and its rewrite %q in %s", r.Text, a, rewrite, b)
				}
			}
		}
		for k, set := range s.References {
			for way, references := range set {
				tests := d.Text[corpus.Test][way]
				if way == 1 {
					tests = nil
				}
				if len(references) != len(tests) {
					t.Fatalf("set %d, %d: %d references of %d test sentences", k, way, len(references), len(tests))
				}
				for i, words := range references {
					source, rewrite := strings.Join(tests[i], " "), strings.Join(words, " ")
					if !slices.Contains(written[source], rewrite) {
						t.Fatalf("%q is no rewrite of %q, which has %q", rewrite, source, written[source])
					}
				}
			}
		}
		if len(s.References) > 1 {
			split++
		}
		other, err := paired(t, o, rapid.Permutation(rows).Draw(t, "order")).Dataset("d")
		if err != nil || !reflect.DeepEqual(at, places(other)) {
			t.Fatalf("another order of rows moves sentences: %v", err)
		}
	})
	if split == 0 {
		t.Error("no data had several references of a sentence")
	}
}

// splitIn returns the split of a place such as "train 0".
func splitIn(place string) string {
	split, _, _ := strings.Cut(place, " ")
	return split
}

// TestPairsByName checks rows that name their splits. A pair must be left out if one of its
// sentences is in a later split. A sentence that occurs on both sides must be in no split, but may
// be a reference. Test sentences without a rewrite must be left out.
func TestPairsByName(t *testing.T) {
	pair := func(split, source string, rewrites ...string) Row {
		return Row{Text: source, Rewrites: append([]string{}, rewrites...), Split: split}
	}
	s := paired(t, Options{Dev: .1, Test: .1}, []Row{
		pair("train", "bad one", "good one"),
		pair("train", "bad two", "good two"),
		pair("dev", "bad three", "good three"),
		pair("test", "bad four", "good four", "fine four", "good four"),
		pair("test", "bad five", "good five"),
		pair("train", "bad six", "good four"),    // left out, because "good four" is in the test split
		pair("train", "bad seven", "good six"),   // kept, but "good six" is on both sides, so in no split
		pair("train", "bad seven", "good seven"), // kept
		pair("test", "good six", "fine six"),     // "good six" is on both sides
		pair("test", "bad eight"),
		{Text: "BAD six", Label: "rude", Split: "dev"}, // "bad six" also occurs unpaired
		pair("train", "", "good nine"),
	})
	d, err := s.Dataset("d")
	if err != nil {
		t.Fatal(err)
	}
	at := places(d)
	for sentence, place := range map[string]string{
		"bad one": "train 0", "good four": "test 1", "bad six": "dev 0", "bad seven": "train 0", "good six": "",
		"fine six": "test 1", "bad eight": "", "good nine": "train 1", "good seven": "train 1",
	} {
		if at[sentence] != place {
			t.Errorf("%q is in %q, want %q", sentence, at[sentence], place)
		}
	}
	want := [][][]corpus.Sentence{
		{{strings.Fields("good four"), strings.Fields("good five")}, nil},
		{{strings.Fields("fine four"), strings.Fields("good five")}, nil},
	}
	if diff := cmp.Diff(want, s.References); diff != "" {
		t.Errorf("references (-want +got):\n%s", diff)
	}
	counts := fmt.Sprintf("%+v", s.Counts)
	if _, err = s.Dataset("d"); err != nil || counts != fmt.Sprintf("%+v", s.Counts) || s.Counts.Alone != 1 ||
		s.Counts.Both != 2 {
		t.Errorf("%v, %s and then %+v", err, counts, s.Counts)
	}
}
