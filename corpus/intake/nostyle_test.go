package intake

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// TestNoStyle: texts with a label of no style are dev or test sentences of no style, wherever their
// label stands, and what they are called and their order change nothing; the others are where they
// are without them.
func TestNoStyle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rows, styled []Row
		n := 0
		for _, label := range []string{"a", "b", "fact", ""} {
			for range rapid.IntRange(60, 90).Draw(t, "rows of "+label) {
				n++
				rows = append(rows, Row{Text: fmt.Sprintf("text number %d", n), Label: label})
				if label == "a" || label == "b" {
					styled = append(styled, rows[n-1])
				}
			}
		}
		o := Options{NoStyle: []string{"fact", ""}, Dev: .2, Test: .2, Seed: rapid.Uint64Range(1, 9).Draw(t, "seed")}
		d, counts := buildBy(t, o, rapid.Permutation(rows).Draw(t, "order"))
		without, _ := buildBy(t, Options{Dev: o.Dev, Test: o.Test, Seed: o.Seed}, styled)
		if !slices.Equal(d.Labels, without.Labels) || counts.Taken != n || counts.NoStyle != 0 {
			t.Fatalf("styles %v, counts %+v of %d rows", d.Labels, counts, n)
		}
		texts := func(sentences []corpus.Sentence) (out []string) {
			for _, words := range sentences {
				out = append(out, strings.Join(words, " "))
			}
			slices.Sort(out)
			return out
		}
		for _, s := range corpus.Splits {
			for style := range d.Labels {
				if !slices.Equal(texts(d.Text[s][style]), texts(without.Text[s][style])) {
					t.Fatalf("%v %s: texts of no style change others", s, d.Labels[style])
				}
			}
		}
		none := len(d.NoStyle[corpus.Dev]) + len(d.NoStyle[corpus.Test])
		if none != n-len(styled) || d.NoStyle[corpus.Train] != nil {
			t.Fatalf("%d of %d texts of no style are dev and test sentences", none, n-len(styled))
		}
		o.Labels = []string{"a", "fact", "b"}
		named, _ := buildBy(t, o, rows)
		if !slices.Equal(named.Labels, d.Labels) ||
			!slices.Equal(texts(named.NoStyle[corpus.Test]), texts(d.NoStyle[corpus.Test])) {
			t.Fatalf("the label of no style among others gives %v", named.Labels)
		}
	})
}

// TestNoStyleSplits: of named splits a training text of no style is left out, and so is a text that
// has a style too.
func TestNoStyleSplits(t *testing.T) {
	rows := []Row{
		{Text: "a fact", Label: "fact", Split: "train"},
		{Text: "two facts", Label: "fact", Split: "dev"},
		{Text: "three facts", Label: "fact", Split: "test"},
		{Text: "a song", Label: "fact", Split: "test"},
		{Text: "a song", Label: "a", Split: "train"},
	}
	for _, split := range []string{"train", "dev", "test"} {
		rows = append(rows, Row{Text: "x " + split, Label: "a", Split: split}, Row{Text: "y " + split, Label: "b", Split: split})
	}
	add := func(o Options, rows []Row) (*Set, *corpus.Dataset, error) {
		o.Dev, o.Test = .1, .1
		s, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			if err := s.Add(r); err != nil {
				return s, nil, err
			}
		}
		d, err := s.Dataset("mine")
		return s, d, err
	}
	fact := Options{NoStyle: []string{"fact"}}
	s, d, err := add(fact, rows)
	if err != nil {
		t.Fatal(err)
	}
	dev, test := len(d.NoStyle[corpus.Dev]), len(d.NoStyle[corpus.Test])
	if dev != 1 || test != 1 || s.Counts.NoStyle != 1 || s.Counts.Both != 1 {
		t.Errorf("%v, %+v", d.NoStyle, s.Counts)
	}
	_, _, err = add(fact, slices.Delete(slices.Clone(rows), 1, 2))
	testkit.WantError(t, err, userr.BadInput, "no sentence of no style is left for dev")
	_, _, err = add(fact, append(slices.Clone(rows), Row{Text: "x", Label: "none", Path: "f.csv", Line: 3}))
	testkit.WantError(t, err, userr.BadInput, `the label "none" is what texts of no style are called`)
	_, _, err = add(Options{NoStyle: []string{"a"}}, rows[4:])
	testkit.WantError(t, err, userr.BadInput, "with b: at least two styles are needed")
	_, err = New(Options{Labels: []string{"a", "fact"}, NoStyle: []string{"fact"}, Dev: .1, Test: .1})
	testkit.WantError(t, err, userr.BadInput, "the labels are a: give 2 to 64 different ones, which have a style")
}

// TestNoStylePairs: rewrites of sources of no style are references from none, and each test source
// has one.
func TestNoStylePairs(t *testing.T) {
	o := Options{Labels: []string{"fact", "b", "c"}, NoStyle: []string{"fact"}, Dev: .2, Test: .3, Seed: 1}
	var rows []Row
	for i := range 60 {
		rows = append(rows,
			Row{Text: fmt.Sprintf("fact %d", i), Rewrites: []string{fmt.Sprintf("b of %d", i), fmt.Sprintf("b too of %d", i)}},
			Row{Text: fmt.Sprintf("c %d", i), Label: "c"})
	}
	rows = append(rows, Row{Text: "a fact alone", Rewrites: []string{}})
	s := paired(t, o, rows)
	d, err := s.Dataset("mine")
	if err != nil {
		t.Fatal(err)
	}
	way := slices.Index(d.Directions(), corpus.Direction{From: corpus.NoStyle, To: 0})
	test := d.NoStyle[corpus.Test]
	if !slices.Equal(d.Labels, corpus.Styles{"b", "c"}) || len(s.References) != 2 || len(test) < 5 {
		t.Fatalf("styles %v, %d sets of references, %d test sentences", d.Labels, len(s.References), len(test))
	}
	for k, set := range s.References {
		if len(set[way]) != len(test) {
			t.Fatalf("set %d has %d references of %d test sentences", k, len(set[way]), len(test))
		}
		for i, words := range set[way] {
			if words[len(words)-1] != test[i][1] {
				t.Errorf("%v is a reference of %v", words, test[i])
			}
		}
	}
	if s.Counts.NoStyle == 0 || len(d.Text[corpus.Train][0]) == 0 {
		t.Errorf("rewrites of training sources are trained on, and the sources go: %+v", s.Counts)
	}
	o.BothWays = true
	_, err = New(o)
	testkit.WantError(t, err, userr.BadInput, "--both-ways would make texts of no style the references of others")
}
