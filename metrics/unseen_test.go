package metrics

import (
	"math"
	"strings"
	"testing"
)

// judged is one direction to style 1 of four outputs, with what the unseen judges see in each.
func judged(styles map[string][]int) Input {
	in := Input{From: "a", To: "b", Target: 1, Judges: map[string]Judged{}}
	for range 4 {
		in.Source, in.Output = append(in.Source, []string{"a", "lamp"}), append(in.Output, []string{"the", "lamp"})
	}
	for key, s := range styles {
		in.Judges[key] = Judged{Name: key + ":id", Styles: s}
	}
	return in
}

// TestUnseen: TST% unseen is the mean of two judges, by hand; the class after the styles is never
// the style asked for; both kinds are named; where one judge is not asked there is no mean.
func TestUnseen(t *testing.T) {
	styles := map[string][]int{
		"unseen_fasttext": {1, 1, 1, 0}, "unseen_cnn": {1, 0, 0, 0},
		"unseen_whole_fasttext": {1, 2, 0, 0}, "unseen_whole_cnn": {2, 2, 0, 2},
	}
	r, err := Score([]Input{judged(styles)}, Instruments{})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]float64{
		"tst_unseen": 50, "tst_unseen_whole": 12.5, "tst_unseen_fasttext": 75, "tst_unseen_cnn": 25,
		"tst_unseen_whole_fasttext": 25, "tst_unseen_whole_cnn": 0,
	} {
		if got, has := r.Metrics[key]; !has || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %v, %t, want %v", key, got, has, want)
		}
		if r.Signatures[key] == "" {
			t.Errorf("%s has no signature", key)
		}
	}
	if got := r.Signatures["tst_unseen"]; !strings.Contains(got, ":unseen_fasttext:id,unseen_cnn:id|") {
		t.Errorf("the signature %q does not name both judges", got)
	}
	delete(styles, "unseen_cnn")
	if r, err = Score([]Input{judged(styles)}, Instruments{}); err != nil {
		t.Fatal(err)
	}
	if _, has := r.Metrics["tst_unseen"]; has || r.Signatures["tst_unseen"] != "" {
		t.Errorf("TST%% unseen is %v of one judge, %q", r.Metrics["tst_unseen"], r.Signatures["tst_unseen"])
	}
}

// TestSourceWordsLeft: by hand. A strong word counts where source and output have it; one that only
// the output has, or that is not strong, does not.
func TestSourceWordsLeft(t *testing.T) {
	in := Input{From: "a", To: "b", Target: 1, StyleWords: map[string]bool{"dull": true, "grim": true}}
	for _, pair := range [][2]string{
		{"a dull lamp", "a bright lamp"},
		{"a dull and grim lamp", "a bright and grim lamp"},
		{"a dull lamp", "a grim lamp"},
		{"the lamp", "the lamp"},
		{"a dull lamp", "dull dull dull"},
	} {
		in.Source = append(in.Source, strings.Fields(pair[0]))
		in.Output = append(in.Output, strings.Fields(pair[1]))
	}
	r, err := Score([]Input{in}, Instruments{})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Metrics["source_words_left"]; math.Abs(got-.4) > 1e-12 {
		t.Errorf("a share of %v keeps a strong word, want 2 of 5", got)
	}
	in.StyleWords = nil
	if r, err = Score([]Input{in}, Instruments{}); err != nil {
		t.Fatal(err)
	}
	if v, has := r.Metrics["source_words_left"]; has || r.Signatures["source_words_left"] != "" {
		t.Errorf("a share of %v keeps a strong word, and no word is known", v)
	}
}
