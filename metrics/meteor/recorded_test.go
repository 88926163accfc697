package meteor

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// The type recorded holds the content of testdata/parity/meteor.json: results of NLTK 3.10.4.
type recorded struct {
	Stems    map[string]string
	WordNets []recordedWordNet
}

type recordedWordNet struct {
	Name     string
	Synonyms map[string][2]any // word -> number and hash of its synonyms
	Pairs    [][]any           // output, references, METEOR
}

func readRecorded(t testing.TB) recorded {
	t.Helper()
	text, err := os.ReadFile("../../testdata/parity/meteor.json")
	if err != nil {
		t.Fatal(err)
	}
	var r recorded
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

const (
	invented = "testdata/wordnet"
	// debian is the version of WordNet with which NLTK's numbers were recorded. Other distributions
	// of WordNet 3.0 differ in some words.
	debian = "3.0-a60f55fd702e"
)

// wordNetOf returns a judge with the WordNet of the given name. It skips the test if this machine
// does not have that WordNet.
func wordNetOf(t testing.TB, name string) *METEOR {
	t.Helper()
	if name == "invented" {
		return openInvented(t)
	}
	dir := realWordNet(t)
	m, err := New(dir)
	if err != nil {
		t.Fatal(err)
	}
	if m.wordNet.version != debian {
		t.Skipf("%s is WordNet %s; the numbers were recorded with %s", dir, m.wordNet.version, debian)
	}
	return m
}

func realWordNet(t testing.TB) string {
	t.Helper()
	dir, ok := Find("")
	if !ok {
		t.Skip("WordNet is not on this machine (Debian: wordnet-base)")
	}
	return dir
}

func TestRecordedStems(t *testing.T) {
	stems := readRecorded(t).Stems
	for _, word := range slices.Sorted(maps.Keys(stems)) {
		if got := stem(word); got != stems[word] {
			t.Errorf("stem(%q) = %q, NLTK has %q", word, got, stems[word])
		}
	}
	t.Logf("%d stems compared", len(stems))
}

func TestRecordedSynonyms(t *testing.T) {
	for _, r := range readRecorded(t).WordNets {
		t.Run(r.Name, func(t *testing.T) {
			m := wordNetOf(t, r.Name)
			for _, word := range slices.Sorted(maps.Keys(r.Synonyms)) {
				got := slices.Sorted(maps.Keys(m.wordNet.synonyms(strings.ToLower(word))))
				hash := sha256.Sum256([]byte(strings.Join(got, "\n")))
				want := r.Synonyms[word]
				if len(got) != int(want[0].(float64)) || hex.EncodeToString(hash[:])[:12] != want[1] {
					t.Errorf("synonyms of %q are %q; NLTK has %v", word, got, want)
				}
			}
		})
	}
}

// sentences returns the pairs as arguments for the method Sentences, with the wanted results. All
// pairs must have the same number of references.
func sentences(pairs [][]any) (outputs [][]string, references [][][]string, want []float64) {
	references = make([][][]string, len(pairs[0])-2)
	for _, p := range pairs {
		outputs = append(outputs, strings.Fields(p[0].(string)))
		for k := range references {
			references[k] = append(references[k], strings.Fields(p[1+k].(string)))
		}
		want = append(want, p[len(p)-1].(float64))
	}
	return outputs, references, want
}

// byReferences groups the pairs by their number of references.
func byReferences(pairs [][]any) map[int][][]any {
	groups := map[int][][]any{}
	for _, p := range pairs {
		groups[len(p)-2] = append(groups[len(p)-2], p)
	}
	return groups
}

func TestRecordedPairs(t *testing.T) {
	for _, r := range readRecorded(t).WordNets {
		t.Run(r.Name, func(t *testing.T) {
			m := wordNetOf(t, r.Name)
			worst := 0.0
			for _, pairs := range byReferences(r.Pairs) {
				outputs, references, want := sentences(pairs)
				best := make([]float64, len(outputs)) // NLTK takes the best reference
				for _, set := range references {
					for i, got := range m.Sentences(outputs, set) {
						best[i] = max(best[i], got)
					}
				}
				for i, got := range best {
					deviation := math.Abs(got - want[i])
					worst = max(worst, deviation)
					if !(deviation <= 1e-6) {
						t.Errorf("METEOR of %v is %v", pairs[i], got)
					}
				}
			}
			t.Logf(
				"%d pairs, WordNet %s: largest deviation from NLTK, recorded to 9 decimals: %.1e", len(r.Pairs),
				m.wordNet.version, worst,
			)
		})
	}
}

// TestPublished scores published outputs against their sources, and compares our METEOR with
// NLTK's. Both numbers are means of the two directions. The test also logs the values in the
// paper's table "content-metrics", which come from Java METEOR 1.5, as nlg-eval runs it.
// pycocoevalcap's copy of that program gives .4435, .3626, .4694 and .4530 for the same files.
func TestPublished(t *testing.T) {
	m := wordNetOf(t, "WordNet")
	for _, row := range []struct {
		data, system string
		nltk, paper  float64
	}{
		{"yelp", "DirR", .8169509928, .444},
		{"yelp", "Tag", .6692523169, .362},
		{"amazon", "DirR", .8241142692, .469},
		{"amazon", "Tag", .8352574105, .453},
	} {
		t.Run(row.data+"/"+row.system, func(t *testing.T) {
			mean := 0.0
			for _, style := range []string{"0", "1"} {
				outputs := lines(t, "outputs", row.data, row.system+"."+style+".txt")
				for _, score := range m.Sentences(outputs, lines(t, row.data, "test."+style+".txt")) {
					mean += score / float64(len(outputs)) / 2
				}
			}
			if !(math.Abs(mean-row.nltk) <= 1e-6) {
				t.Errorf("METEOR %.7f, NLTK has %v", mean, row.nltk)
			}
			t.Logf("METEOR %.4f, Java METEOR 1.5 in the paper %v", mean, row.paper)
		})
	}
}

func lines(t testing.TB, elem ...string) [][]string {
	t.Helper()
	text, err := os.ReadFile(testkit.Shared(t, elem...))
	if err != nil {
		t.Fatal(err)
	}
	var sentences [][]string
	for line := range strings.Lines(string(text)) {
		sentences = append(sentences, strings.Fields(line))
	}
	return sentences
}

// BenchmarkSentences scores 1,000 recorded pairs; the first iteration looks every word up.
func BenchmarkSentences(b *testing.B) {
	outputs, references, _ := sentences(byReferences(readRecorded(b).WordNets[1].Pairs)[1])
	m, err := New(realWordNet(b))
	if err != nil {
		b.Fatal(err)
	}
	outputs, set := append(outputs, outputs...)[:1000], append(references[0], references[0]...)[:1000]
	for b.Loop() {
		m.Sentences(outputs, set)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "µs/pair")
}

func BenchmarkNew(b *testing.B) {
	dir := realWordNet(b)
	for b.Loop() {
		if _, err := New(dir); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVersion(b *testing.B) {
	dir := realWordNet(b)
	for b.Loop() {
		if _, err := Version(dir); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleMETEOR_Sentences() {
	m, err := New(invented)
	if err != nil {
		panic(err)
	}
	outputs := [][]string{{"the", "brel", "walks"}}
	sources := [][]string{{"the", "quon", "walked"}} // brel and quon are synonyms in the invented WordNet
	fmt.Printf("%.4f\n", m.Sentences(outputs, sources)[0])
	// Output: 0.9815
}
