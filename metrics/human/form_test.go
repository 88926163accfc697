package human

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

func pairsOf(n ...int) (pairs []Pair) {
	for d, k := range n {
		for i := range k {
			pairs = append(pairs, Pair{
				Direction: fmt.Sprint("direction ", d), Item: fmt.Sprint(i + 1), Source: fmt.Sprint("source ", d, i),
				A: fmt.Sprint("a ", d, i), B: fmt.Sprint("b ", d, i),
			})
		}
	}
	return pairs
}

// TestForms: every pair is in every form once, each system is first in half of each direction's,
// and what was written where the key says is what the question shows; the seed alone decides.
func TestForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pairs := pairsOf(rapid.IntRange(0, 9).Draw(t, "n"), rapid.IntRange(1, 9).Draw(t, "m"))
		seed := rapid.Uint64().Draw(t, "seed")
		annotator := rapid.IntRange(1, 4).Draw(t, "annotator")
		questions, keys := Form(pairs, annotator, seed)
		again, _ := Form(pairs, annotator, seed)
		if len(questions) != len(pairs) || len(keys) != len(pairs) || !reflect.DeepEqual(questions, again) {
			t.Fatalf("%d questions and %d keys of %d pairs", len(questions), len(keys), len(pairs))
		}
		first := map[string]int{}
		seen := map[string]bool{}
		for i, q := range questions {
			k := keys[i]
			a, b := q.First, q.Second
			if !k.AFirst {
				a, b = b, a
			} else {
				first[q.Direction]++
			}
			key := k.Direction + k.Item
			if seen[key] || a[:1] != "a" || b[:1] != "b" || a[1:] != b[1:] || "source"+a[1:] != q.Source || q.Number != i+1 {
				t.Fatalf("question %+v has the key %+v", q, k)
			}
			seen[key] = true
			for answer, want := range map[string]string{q.First[:1]: "1", q.Second[:1]: "2"} {
				if got, err := k.Vote(want); got != answer || err != nil {
					t.Fatalf("%+v: answer %s is a vote for %s", q, want, got)
				}
			}
		}
		for _, d := range []string{"direction 0", "direction 1"} {
			n := 0
			for _, p := range pairs {
				if p.Direction == d {
					n++
				}
			}
			if f := first[d]; f != n/2 && f != (n+1)/2 {
				t.Fatalf("A is first %d times of %d in %s", f, n, d)
			}
		}
	})
}

func TestDraw(t *testing.T) {
	pairs := pairsOf(50, 3)
	pairs[51].B = pairs[51].A
	drawn := Draw(pairs, 10, 1)
	if len(drawn) != 12 || !reflect.DeepEqual(drawn, Draw(pairs, 10, 1)) ||
		reflect.DeepEqual(drawn, Draw(pairs, 10, 2)) {
		t.Errorf("%d drawn: %+v", len(drawn), drawn)
	}
	for _, p := range drawn {
		if p.A == p.B {
			t.Errorf("%+v has nothing to choose", p)
		}
	}
}

// answer fills in a form, in the order that the file has.
func answer(t *testing.T, path, answers string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	for i, a := range strings.Fields(answers) {
		lines[i+1] += a
	}
	lines[1], lines[2] = lines[2], lines[1] // sorted by a spreadsheet
	if err := os.WriteFile(path, []byte("\ufeff"+strings.Join(lines, "\r\n")), 0o600); err != nil {
		t.Fatal(err)
	}
}

// endsAfter is a context that ends when it was asked so many times.
type endsAfter struct {
	context.Context
	asked int
}

func (c *endsAfter) Err() error {
	if c.asked--; c.asked < 0 {
		return context.Canceled
	}
	return nil
}

// TestExportEnds: wherever an export is ended, between two forms or two files, it leaves nothing.
func TestExportEnds(t *testing.T) {
	dir := t.TempDir()
	for n := range 2 + 4 { // two forms, and the key and its sum besides
		err := Export(&endsAfter{t.Context(), n}, dir, Study{Dataset: "d", A: "x", B: "y"}, pairsOf(3), 2)
		if left, _ := os.ReadDir(dir); !errors.Is(err, context.Canceled) || len(left) > 0 {
			t.Errorf("after %d: %v, and %d files are left", n, err, len(left))
		}
	}
}

// TestFormulas: what a spreadsheet would compute stands behind an apostrophe in forms and votes,
// and is as it was written where they are read.
func TestFormulas(t *testing.T) {
	dir := t.TempDir()
	pairs := []Pair{{Direction: "-1 to +1", Item: "1", Source: "- a stale roll", A: "=NOW()", B: "'@ roll"}}
	if err := Export(t.Context(), dir, Study{Dataset: "d", A: "x", B: "y", Seed: 3}, pairs, 1); err != nil {
		t.Fatal(err)
	}
	form := filepath.Join(dir, "form-1.csv")
	raw, err := os.ReadFile(form)
	if err != nil {
		t.Fatal(err)
	}
	for _, cell := range []string{",'-1 to +1,", ",'- a stale roll,", ",'=NOW(),", ",''@ roll,"} {
		if !strings.Contains(string(raw), cell) {
			t.Errorf("the form has no %s:\n%s", cell, raw)
		}
	}
	f, err := OpenForm(dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	q := f.Questions[0]
	if q.Direction != pairs[0].Direction || q.Source != pairs[0].Source || q.First+q.Second != pairs[0].A+pairs[0].B &&
		q.First+q.Second != pairs[0].B+pairs[0].A {
		t.Errorf("%+v was made of %+v", q, pairs[0])
	}
	if err := f.Answer(1, "both"); err != nil {
		t.Fatal(err)
	}
	if now, err := os.ReadFile(form); err != nil || string(now) != strings.Replace(string(raw), ",\n", ",both\n", 1) {
		t.Errorf("with its answer (%v) the form is\n%s", err, now)
	}
	_, votes, err := Tally(dir)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Read(filepath.Join(dir, VoteFile))
	if err != nil || again.Agree().Directions[0].Direction != "-1 to +1" || !reflect.DeepEqual(again.Agree(), votes.Agree()) {
		t.Errorf("the votes file says %+v (%v)", again, err)
	}
	raw, err = os.ReadFile(filepath.Join(dir, VoteFile))
	if err != nil || !strings.Contains(string(raw), "\n'-1 to +1,1,") {
		t.Errorf("votes (%v):\n%s", err, raw)
	}
}

func TestTally(t *testing.T) {
	dir := t.TempDir()
	if err := Export(t.Context(), dir, Study{Dataset: "d", A: "x", B: "y", Seed: 3}, pairsOf(3), 2); err != nil {
		t.Fatal(err)
	}
	form := filepath.Join(dir, "form-1.csv")
	raw, err := os.ReadFile(form)
	if err != nil || strings.ContainsAny(string(raw), "xy") {
		t.Errorf("a form names the systems (%v):\n%s", err, raw)
	}
	fails := func(want string) {
		t.Helper()
		if _, _, err := Tally(dir); userr.CodeOf(err) != userr.BadInput || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	fails("form-1.csv: question 1: the answer must be 1, 2, both or neither, but is \"\"")
	answer(t, form, "1 BOTH neither")
	fails("form-2.csv: question 1")
	answer(t, filepath.Join(dir, "form-2.csv"), "2 both neither")
	s, votes, err := Tally(dir)
	if err != nil {
		t.Fatal(err)
	}
	a := votes.Agree()
	if s.A != "x" || len(votes.Annotators) != 2 || a.All.Items != 3 || a.FleissKappa == nil {
		t.Errorf("%+v, %+v", s, a)
	}
	again, err := Read(filepath.Join(dir, VoteFile))
	if err != nil || !reflect.DeepEqual(again.Agree(), a) {
		t.Errorf("the votes file says %+v (%v), not %+v", again, err, a)
	}
	filled, err := os.ReadFile(form)
	if err != nil {
		t.Fatal(err)
	}
	for _, sign := range []string{";", "\t"} { // as spreadsheets of other countries save it
		if err := os.WriteFile(form, []byte(strings.ReplaceAll(string(filled), ",", sign)), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, again, err := Tally(dir); err != nil || !reflect.DeepEqual(again, votes) {
			t.Errorf("columns between %q: %v, %v", sign, again, err)
		}
	}
	if err := os.WriteFile(form, filled, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"form-1.csv": "there is no", keyFile: "there is no", sealFile: "there is no",
	} {
		name := filepath.Join(dir, path)
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		fails(want)
		if err := os.WriteFile(name, []byte(strings.Replace(string(raw), "true", "false", 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if path == keyFile {
			fails("the key was changed after the forms were written")
		}
		if err := os.WriteFile(name, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]string{
		"number\n": "the first line must be", strings.Join(formHeader, ",") + "\n": "has 0 of 3 questions",
		strings.Join(formHeader, ",") + "\n7,d,s,a,b,1\n": `the number "7"`, "a;b\n\"": "is no longer CSV",
	} {
		if err := os.WriteFile(form, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		fails(want)
	}
}
