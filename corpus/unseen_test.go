package corpus

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The function invented returns n different sentences of a style.
func invented(style string, n int) (text []Sentence) {
	for i := range n {
		text = append(text, Sentence{"the", style, "lamp", fmt.Sprint("number", i), "."})
	}
	return text
}

// texts returns the set of all sentences in some lists.
func texts(parts ...[]Sentence) map[string]bool {
	all := map[string]bool{}
	for _, part := range parts {
		for _, words := range part {
			all[strings.Join(words, " ")] = true
		}
	}
	return all
}

// TestApart checks that SetAside sets about AsideShare of the sentences aside, loses none and keeps
// the order. A sentence that is set aside must not also stay, in any style, and additional
// sentences must not move others.
func TestApart(t *testing.T) {
	d := NewDataset("d", Styles{"a", "b"})
	both := invented("grey", 400)
	d.Text[Train][0] = slices.Concat(invented("dim", 3000), both, both)
	d.Text[Train][1] = slices.Concat(both, invented("bright", 2000))
	stay, aside := d.SetAside()
	for style, all := range d.Text[Train] {
		share := float64(len(aside[style])) / float64(len(all))
		if share < .03 || share > .07 {
			t.Errorf("style %d: a share of %.3f is set aside, want about .05", style, share)
		}
		if len(stay[style])+len(aside[style]) != len(all) {
			t.Errorf("style %d: %d stay and %d go, of %d", style, len(stay[style]), len(aside[style]), len(all))
		}
		at := map[string]int{}
		for i, words := range all {
			at[strings.Join(words, " ")] = i // index of the last copy
		}
		if style == 1 && !slices.IsSortedFunc(aside[1], func(x, y Sentence) int {
			return at[strings.Join(x, " ")] - at[strings.Join(y, " ")]
		}) {
			t.Error("the order of what is set aside is another")
		}
	}
	kept := texts(stay...)
	for sentence := range texts(aside...) {
		if kept[sentence] {
			t.Errorf("%q is set aside and stays", sentence)
		}
	}
	d.Text[Train][1] = append(d.Text[Train][1], invented("late", 50)...)
	if _, later := d.SetAside(); !slices.EqualFunc(aside[1], later[1][:len(aside[1])], slices.Equal) {
		t.Error("sentences that come later move others")
	}
}

// TestUnseen checks that training and dev sentences of the data set are left out and counted, and
// that copies of a sentence are all training or all dev sentences. About a tenth must become dev
// text. Two different sentences must be enough to get both training and dev text.
func TestUnseen(t *testing.T) {
	d := NewDataset("d", Styles{"a", "b"})
	d.Text[Train][0], d.Text[Dev][1] = invented("dim", 40), invented("bright", 30)
	more := invented("grey", 2000)
	text := [][]Sentence{
		slices.Concat(d.Text[Train][0][:7], more, more[:500]),
		slices.Concat(invented("new", 3000), d.Text[Dev][1][:5], d.Text[Train][0][:2]),
	}
	u, leftOut := d.Unseen(text)
	if !slices.Equal(leftOut, []int{7, 7}) {
		t.Errorf("%v are left out, want 7 and 7", leftOut)
	}
	seen := texts(slices.Concat(d.Text[Train], d.Text[Dev])...)
	train, dev := texts(u.Text[Train]...), texts(u.Text[Dev]...)
	for sentence := range train {
		if seen[sentence] || dev[sentence] {
			t.Errorf("%q is in a text of the models, %t, or in both parts, %t", sentence, seen[sentence], dev[sentence])
		}
	}
	for sentence := range dev {
		if seen[sentence] {
			t.Errorf("the dev sentence %q is in a text of the models", sentence)
		}
	}
	for style, n := range []int{2500, 3000} {
		got := []int{len(u.Text[Train][style]), len(u.Text[Dev][style])}
		if got[0]+got[1] != n || got[1] < n/15 || got[1] > n/7 {
			t.Errorf("style %d: %d to train on and %d to choose by, of %d", style, got[0], got[1], n)
		}
	}
	for n := range 4 {
		u, _ := d.Unseen([][]Sentence{invented("few", n), slices.Repeat(invented("same", 1), n)})
		train, dev := len(u.Text[Train][0]), len(u.Text[Dev][0])
		if train+dev != n || n > 1 && (train == 0 || dev == 0) {
			t.Errorf("of %d sentences %d are to train on and %d to choose by", n, train, dev)
		}
		if train, dev := len(u.Text[Train][1]), len(u.Text[Dev][1]); train != n || dev != 0 {
			t.Errorf("of %d copies %d are to train on and %d to choose by", n, train, dev)
		}
	}
}

// TestMoreOfDemo checks that the demo corpus has enough additional sentences of each style, and
// that none of them is a test sentence or a reference.
func TestMoreOfDemo(t *testing.T) {
	d := Demo()
	u, leftOut := d.Unseen(d.MoreOfDemo())
	tests := texts(slices.Concat(d.Text[Test], d.Refs)...)
	for style := range d.Labels {
		n := 0
		for sentence := range texts(u.Text[Train][style], u.Text[Dev][style]) {
			if tests[sentence] {
				n++
			}
		}
		if left := len(u.Text[Train][style]); left < 1600 || n > 0 {
			t.Errorf("style %d: %d sentences to train on, %d left out, %d test sentences or references among them",
				style, left, leftOut[style], n)
		}
	}
}

// TestSampleLeaves checks that every sentence is either in the sample or in the rest.
func TestSampleLeaves(t *testing.T) {
	d := NewDataset("d", Styles{"a", "b"})
	d.Text[Train][0], d.Text[Train][1] = invented("dim", 30), invented("bright", 8)
	left := d.Sample(10, 1)
	if len(d.Text[Train][0]) != 10 || len(left[0]) != 20 || len(texts(d.Text[Train][0], left[0])) != 30 ||
		len(left[1]) != 0 {
		t.Errorf("%d of 30 are drawn and %d left; %d of 8 are left", len(d.Text[Train][0]), len(left[0]), len(left[1]))
	}
	if left := d.Sample(0, 1); len(left[0]) != 0 {
		t.Errorf("of all %d are left", len(left[0]))
	}
}
