package corpus

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"pgregory.net/rapid"
)

// TestDemoGolden checks that no byte of the built-in corpus has changed. A change would invalidate
// every cached stage and every published result.
func TestDemoGolden(t *testing.T) {
	dir, d := t.TempDir(), Demo()
	must(t, d.Save(dir))
	var got strings.Builder
	var names []string
	for _, direction := range d.Labels.Directions() {
		names = append(names, RefName(d.Labels, direction))
	}
	for _, s := range Splits {
		for style := range d.Labels {
			names = append(names, FileName(s, style))
		}
	}
	for style, text := range d.MoreOfDemo() {
		names = append(names, MoreName(style))
		must(t, WriteLines(filepath.Join(dir, MoreName(style)), text))
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		must(t, err)
		sum := sha256.Sum256(data)
		got.WriteString(hex.EncodeToString(sum[:]) + "  " + name + "\n")
	}
	testkit.Golden(t, "demo.sha256", got.String())
}

// TestDemoIsClean checks the data report of the demo corpus: the sizes are right, no sentence is
// repeated, the splits share no sentence, and train has nearly all words of the other splits.
func TestDemoIsClean(t *testing.T) {
	d, sizes := Demo(), [3]int{30000, 400, 200}
	r := d.Report(0)
	for _, s := range Splits {
		for k := range d.Labels {
			p := r.Parts[s][k]
			if p.Sentences != sizes[s] || p.Duplicates != 0 || p.Lengths.Max > 14 {
				t.Errorf("%+v", p)
			}
			if slices.ContainsFunc(d.Text[s][k], func(words Sentence) bool { return len(words) < 4 }) {
				t.Errorf("%s %s: a sentence of fewer than four words", p.Split, p.Label)
			}
			if p.OOVRate > 0.001 {
				t.Errorf("%s %s: %.4f of the words are not in train", p.Split, p.Label, p.OOVRate)
			}
		}
	}
	for _, o := range r.Overlaps {
		if o.Equal != 0 {
			t.Errorf("%+v", o)
		}
	}
	if r.BothLabels != 0 {
		t.Errorf("%d sentences have both labels", r.BothLabels)
	}
	if r.TrainTypes < 600 || r.TrainTypes > 2500 {
		t.Errorf("%d distinct words", r.TrainTypes)
	}
	t.Logf("%d words, %d distinct, lengths %+v", r.TrainWords, r.TrainTypes, r.Parts[Train][0].Lengths)
}

// TestDemoIsLearnable checks that naive Bayes over words has an accuracy of 90 to 99.5 % on dev,
// and that no single word gives an accuracy above 60 %.
func TestDemoIsLearnable(t *testing.T) {
	d := Demo()
	var counts [2]map[string]float64 // by style: number of sentences with each word
	for k, sentences := range d.Text[Train] {
		counts[k] = map[string]float64{}
		for _, words := range sentences {
			for w := range distinct(words) {
				counts[k][w]++
			}
		}
	}
	weight := func(w string) float64 { return math.Log((counts[1][w] + 1) / (counts[0][w] + 1)) }
	right, total, withWord := 0, 0, map[string][2]int{}
	for k, sentences := range d.Text[Dev] {
		for _, words := range sentences {
			score := 0.0
			for w := range distinct(words) {
				score += weight(w)
				n := withWord[w]
				n[k]++
				withWord[w] = n
			}
			total++
			if (score > 0) == (k == 1) {
				right++
			}
		}
	}
	accuracy := float64(right) / float64(total)
	t.Logf("naive Bayes: %.4f of dev", accuracy)
	if accuracy < 0.90 || accuracy > 0.995 {
		t.Errorf("naive Bayes gets %.4f", accuracy)
	}
	best, at := "", 0.0
	// Here, a is the accuracy of a classifier that only checks whether a sentence has the word w.
	for w, n := range withWord {
		if a := 0.5 + math.Abs(float64(n[1]-n[0]))/float64(total); a > at {
			best, at = w, a
		}
	}
	t.Logf("best single word: %q, %.4f", best, at)
	if at > 0.60 {
		t.Errorf("%q alone gets %.4f", best, at)
	}
}

func distinct(words []string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// TestTestAlsoIn checks that TestAlsoIn gives the same counts as comparing whole sentences, by
// style and, as `data report` does, of all styles together.
func TestTestAlsoIn(t *testing.T) {
	sentence := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 3)
	text := rapid.SliceOfN(sentence, 0, 12)
	rapid.Check(t, func(t *rapid.T) {
		d := NewDataset("toy", Styles{"a", "b", "c"})
		for style := range d.Labels {
			for _, s := range Splits {
				d.Text[s][style] = text.Draw(t, s.String())
			}
		}
		got, train := d.TestAlsoIn(Train), slices.Concat(d.Text[Train]...)
		for style, n := range got {
			want := 0
			for _, words := range d.Text[Test][style] {
				if slices.ContainsFunc(train, func(other Sentence) bool { return slices.Equal(words, other) }) {
					want++
				}
			}
			if n != want {
				t.Fatalf("%v, but %d of style %d", got, want, style)
			}
		}
		inDev := 0
		for _, n := range d.TestAlsoIn(Dev) {
			inDev += n
		}
		for _, o := range d.Overlaps() {
			if o.Split == "test" && o.In == "dev" && o.Equal != inDev {
				t.Fatalf("%d test sentences are in dev, and %+v", inDev, o)
			}
		}
	})
}
