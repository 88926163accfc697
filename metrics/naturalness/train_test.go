package naturalness

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// The function invented returns n sentences of a small grammar, many of them equal.
func invented(n int) [][]string {
	rng := rand.New(rand.NewPCG(7, 7))
	pick := func(words string) string {
		w := strings.Fields(words)
		return w[rng.IntN(len(w))]
	}
	var s [][]string
	for range n {
		thing := pick("kettle lantern garden ladder violin harbour blanket market")
		text := fmt.Sprintf(
			"the %s %s was %s %s", pick("old new small green"), thing, pick("very rather quite"),
			pick("quiet bright heavy pleasant dusty"),
		)
		if rng.IntN(2) == 0 {
			text += fmt.Sprintf(" and we %s it %s", pick("liked used saw left"), pick("today again twice"))
		}
		s = append(s, strings.Fields(text+" ."))
	}
	return s
}

func TestTrain(t *testing.T) {
	sentences := invented(3000)
	own, err := Train(sentences, 1)
	if err != nil {
		t.Fatal(err)
	}
	// Most corruptions break this grammar. A replacement by a word of the same kind does not, so no
	// classifier can notice it.
	if own.Accuracy < .85 || own.Accuracy > 1 {
		t.Errorf("held-out accuracy %v", own.Accuracy)
	}
	human := strings.Fields("the old kettle was very bright and we saw it again .")
	for _, damaged := range []string{
		"the old old kettle was very bright and we saw it again .",
		"the old was kettle very bright and we saw it again .",
		"the old kettle was very and we saw it again .",
		"the dusty kettle dusty very bright and we dusty it again .",
		"the old kettle was zzz bright and we saw it again .",
	} {
		if h, d := own.Score(human), own.Score(strings.Fields(damaged)); h < .5 || d > .5 {
			t.Errorf("human %.3f, %q %.3f", h, damaged, d)
		}
	}

	same, err := Train(sentences, 1)
	if err != nil {
		t.Fatal(err)
	}
	other, err := Train(sentences, 2)
	if err != nil {
		t.Fatal(err)
	}
	var a, b bytes.Buffer
	if err := own.file.write(&a); err != nil {
		t.Fatal(err)
	}
	if err := same.file.write(&b); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) || own.Signature() != same.Signature() {
		t.Error("the same sentences and seed give another classifier")
	}
	if own.hash == other.hash {
		t.Error("another seed gives the same classifier")
	}
	if got := own.Signature(); !strings.HasPrefix(got, "naturalness|own:human-vs-corrupted|") || !strings.Contains(got,
		"|seed:1|") {
		t.Errorf("signature %q", got)
	}
}

func TestSaveAndLoadOwn(t *testing.T) {
	sentences := invented(1500)
	own, err := Train(sentences, 5)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "own.tsv")
	if err := own.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if loaded.Signature() != own.Signature() {
		t.Errorf("signature %q, was %q", loaded.Signature(), own.Signature())
	}
	for _, s := range append(sentences[:200], nil, []string{"unheard", "of"}) {
		if a, b := own.Score(s), loaded.Score(s); a != b {
			t.Fatalf("%q scores %v, after loading %v", s, a, b)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.SplitN(string(data), "\n", 3); !strings.HasPrefix(lines[0], "__intercept__\t") ||
		lines[1] != "__about__\t"+own.About() {
		t.Errorf("the file begins %q", lines[:2])
	}
	if err := own.Save(filepath.Join(t.TempDir(), "absent", "own.tsv")); err == nil {
		t.Error("saving into a folder that is not there gives no error")
	}
}

func TestTrainRefuses(t *testing.T) {
	_, err := Train(slices.Repeat(invented(50), 10), 1)
	testkit.WantError(t, err, userr.BadInput, "needs 100 different training sentences, but there are 50 among 500: give more, or a file of "+
		"weights with the data set's key naturalness")
	_, err = Train(nil, 1)
	testkit.WantError(t, err, userr.BadInput, "there are 0: give")
}

// TestTrainSkipsUnstorable checks that no model is trained on a sentence with a word that a weights
// file cannot hold. Therefore every model can be saved.
func TestTrainSkipsUnstorable(t *testing.T) {
	odd := [][]string{{"a", "__about__"}, {"a b", "c"}, {"\xff"}, {""}, {}, {"Fine", "line"}, {"fine", "LINE"}}
	if got := distinctSentences(odd, len(odd)); len(got) != 1 || got[0][0] != "fine" {
		t.Errorf("kept %q", got)
	}
}

func TestCorruptChangesEverySentence(t *testing.T) {
	text := number(invented(300))
	c := newCorrupter(text, rand.New(rand.NewPCG(1, 1)))
	for _, s := range text.sentences {
		before := slices.Clone(s)
		bad := c.corrupt(s)
		if len(bad) == 0 || slices.Equal(bad, s) {
			t.Fatalf("%v became %v", s, bad)
		}
		if !slices.Equal(before, s) {
			t.Fatal("corrupt changed its argument")
		}
		// There are at most two corruptions, and each adds or removes at most one word.
		if len(bad) < len(s)-2 || len(bad) > len(s)+2 {
			t.Fatalf("%d words became %d", len(s), len(bad))
		}
	}
}

// TestOwnNaturalnessOnYelp checks that on real text the classifier prefers human sentences to the
// outputs of five published systems.
func TestOwnNaturalnessOnYelp(t *testing.T) {
	var train [][]string
	for _, style := range []string{"0", "1"} {
		lines := testkit.Words(t, testkit.Shared(t, "yelp", "train."+style+".txt"))
		for i := 0; i < len(lines); i += 25 { // about 10,600 sentences in all
			train = append(train, lines[i])
		}
	}
	own, err := Train(train, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(own.Signature())
	if own.Accuracy < .70 { // the measured accuracy was .75
		t.Errorf("held-out accuracy %v", own.Accuracy)
	}
	mean := func(sentences [][]string) float64 {
		sum := 0.0
		for _, s := range sentences {
			sum += own.Score(s)
		}
		return sum / float64(len(sentences))
	}
	human := append(
		testkit.Words(t, testkit.Shared(t, "yelp", "test.0.txt")),
		testkit.Words(t, testkit.Shared(t, "yelp", "test.1.txt"))...,
	)
	for _, system := range []string{"CycleRL", "cycleMulti", "DirR", "StyleEmbedding", "Stable"} {
		output := testkit.Words(t, testkit.Shared(t, "outputs", "yelp", system+".0.txt"))
		output = append(output, testkit.Words(t, testkit.Shared(t, "outputs", "yelp", system+".1.txt"))...)
		if h, s := mean(human), mean(output); s >= h {
			t.Errorf("%s %.3f, humans %.3f", system, s, h)
		} else {
			t.Logf("%s %.3f, humans %.3f", system, s, h)
		}
	}
}

// BenchmarkTrain trains on 8,000 Yelp sentences and on all of them.
func BenchmarkTrain(b *testing.B) {
	lines := testkit.Words(b, testkit.Shared(b, "yelp", "train.0.txt"))
	lines = append(lines, testkit.Words(b, testkit.Shared(b, "yelp", "train.1.txt"))...)
	var some [][]string
	for i := 0; len(some) < 8000; i += 33 {
		some = append(some, lines[i])
	}
	for name, sentences := range map[string][][]string{"8000": some, "all": lines} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				own, err := Train(sentences, 1)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(own.Accuracy, "heldout-accuracy")
			}
		})
	}
}
