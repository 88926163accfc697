package guided

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// invented returns outputs of sentences that readers rate by chance, more often well the larger the
// odds and the smaller the places.
func invented(seed uint64, sentences, outputs int) (out []Rated) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for s := range sentences {
		for range outputs {
			r := Rated{Line: s + 1}
			for f := range r.Features {
				r.Features[f] = rng.NormFloat64() + float64(f)
			}
			for i := range r.Scores {
				for range 2 {
					p := 1 / (1 + math.Exp(-r.Features[Odds]+float64(i)*(r.Features[Places]-float64(Places))))
					score := 1.0
					if rng.Float64() < p {
						score = 2
					}
					r.Scores[i] = append(r.Scores[i], score)
				}
			}
			out = append(out, r)
		}
	}
	return out
}

// TestFit: at the weights that are found the slope of the penalised log likelihood is 0, they do
// not hang on the order of outputs, and they are those by which readers rated.
func TestFit(t *testing.T) {
	rated := invented(1, 800, 3)
	r := fitRanker(rated)
	for score, of := range r.Of {
		var slope Features
		bias := 0.0
		for k := range rated {
			z := r.standard(rated[k].Features)
			off := rated[k].best(score) - 1/(1+math.Exp(-of.logit(z)))
			bias += off
			for f := range z {
				slope[f] += off * z[f]
			}
		}
		for f := range slope {
			if off := slope[f] - ridge*of.Weights[f]; math.Abs(off) > 1e-6 {
				t.Errorf("score %d: the slope of %s is %g", score, FeatureNames[f], off)
			}
			want := map[Feature]float64{Odds: r.SD[Odds], Places: -float64(score) * r.SD[Places]}[Feature(f)]
			if math.Abs(of.Weights[f]-want) > .15+.1*math.Abs(want) {
				t.Errorf("score %d: the weight of %s is %g, and readers have %g", score, FeatureNames[f], of.Weights[f], want)
			}
		}
		if math.Abs(bias) > 1e-6 {
			t.Errorf("score %d: the slope of the bias is %g", score, bias)
		}
	}
	slices.Reverse(rated)
	if again := fitRanker(rated); again.distance(r) > 1e-9 {
		t.Errorf("in the opposite order the weights are %g off", again.distance(r))
	}
}

// TestFitUneven: outputs in which a word became none or several have a ranker of their own, which
// the others do not teach; where there are no others, they have the only one.
func TestFitUneven(t *testing.T) {
	even, uneven := invented(3, 60, 4), invented(4, 60, 4)
	for k := range uneven {
		even[k].Edits = []Edit{{Place: 1, New: []string{"a"}}}
		uneven[k].Edits = []Edit{{Place: 0, New: []string{"a"}}, {Place: 2, New: slices.Repeat([]string{"a"}, k%2*2)}}
	}
	r := fitRanker(slices.Concat(even[:60], uneven, even[60:]))
	if off := r.For(true).distance(fitRanker(uneven)); off > 1e-9 {
		t.Errorf("the ranker of uneven outputs is %g off", off)
	}
	off := r.For(false).distance(fitRanker(even))
	if off > 1e-9 || fitRanker(even).Uneven != nil || fitRanker(uneven).Uneven != nil {
		t.Errorf("the ranker of others is %g off", off)
	}
	if only := fitRanker(even); only.For(true) != only {
		t.Error("uneven outputs are not ranked like others")
	}
	if few := fitRanker(slices.Concat(even, uneven[:fewestOfKind-1])); few.Uneven != nil {
		t.Error("so few uneven outputs have a ranker of their own")
	}
}

// distance returns the largest difference of two rankers' numbers.
func (r *Ranker) distance(other *Ranker) (most float64) {
	far := func(a, b float64) { most = max(most, math.Abs(a-b)) }
	for f := range numFeatures {
		far(r.Mean[f], other.Mean[f])
		far(r.SD[f], other.SD[f])
		for i := range r.Of {
			far(r.Of[i].Weights[f], other.Of[i].Weights[f])
		}
	}
	for i := range r.Of {
		far(r.Of[i].Bias, other.Of[i].Bias)
	}
	return most
}

// TestShippedRankers: the weights that are shipped are those that the readings of dev outputs in
// docs/results give, those of uneven outputs from outputs with negated phrases.
func TestShippedRankers(t *testing.T) {
	for name, shipped := range map[string]*Ranker{
		"new": ShippedRanker(false), "pretrained": ShippedRanker(true), "negations": ShippedRanker(false).Uneven,
	} {
		rated, err := ReadRated(filepath.Join("../../docs/results", "ranker-"+name+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		learned := fitRanker(rated)
		if name == "negations" {
			learned = learned.Uneven
		}
		if off := learned.distance(shipped); off > 1e-6 || !shipped.Sound() {
			t.Errorf("%s: the shipped weights are %g off what %d rated outputs give", name, off, len(rated))
		}
	}
}

// TestBadRated: a file that is none is named with its line and what is wrong.
func TestBadRated(t *testing.T) {
	header := strings.Join(append(slices.Clone(ratedHeader), FeatureNames[:]...), ",")
	good := "to,1,0badcafe,0 1 great,21,22,11" + strings.Repeat(",0.5", int(numFeatures))
	for content, want := range map[string]string{
		header:                          "no rated output",
		"a,b":                           ":1: the first line must be",
		header + "\n" + good + "\nto,1": ":3: there are 2 fields",
		header + "\n" + strings.Replace(good, "21", "23", 1):   `:2: style is "23"`,
		header + "\n" + strings.Replace(good, "21", "2", 1):    "one digit for each",
		header + "\n" + strings.Replace(good, "0.5", "NaN", 1): `:2: odds is "NaN"`,
		header + "\n\"": "correct the line",
		header + "\n" + strings.Replace(good, "to,1", "to,0", 1):       `:2: line is "0"`,
		header + "\n" + strings.Replace(good, "cafe", "cafx", 1):       `:2: source is "0badcafx"`,
		header + "\n" + strings.Replace(good, "0 1", "0 2", 1):         `:2: edits are "0 2 great"`,
		header + "\n" + strings.Replace(good, "0 1", "x 1", 1):         `:2: edits are`,
		header + "\n" + strings.Replace(good, "0 1", "0", 1):           `:2: edits are`,
		header + "\n" + strings.Replace(good, "great", "great 0 0", 1): `:2: edits are`,
	} {
		path := filepath.Join(t.TempDir(), "rated.csv")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadRated(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", content, err, want)
		}
	}
	if _, err := ReadRated(filepath.Join(t.TempDir(), "none.csv")); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("no file: %v", err)
	}
}

// TestPooled: an output is there once, with the scores of all who rated it.
func TestPooled(t *testing.T) {
	one := func(source uint32, word string, scores ...float64) Rated {
		r := Rated{Direction: "to", Source: source, Edits: []Edit{{0, []string{word}}}}
		for i := range r.Scores {
			r.Scores[i] = scores
		}
		return r
	}
	got := Pooled([]Rated{one(1, "a", 2), one(1, "b", 1), one(2, "a", 0), one(1, "a", 1, 0), one(1, "a", 2)})
	if want := []Rated{one(1, "a", 2, 1, 0, 2), one(1, "b", 1), one(2, "a", 0)}; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestRatedOutput: what was written is read again, and gives the output where the source is the one
// that was changed.
func TestRatedOutput(t *testing.T) {
	rated := []Rated{{
		Direction: "negative to positive", Line: 7, Source: Checksum([]string{"3", "did", "n't", ".", "x"}), Edits: []Edit{{0, []string{"2", "1"}}, {2, []string{}}, {3, []string{","}}},
		Scores: [3][]float64{{2, 1}, {0, 2}, {1, 1}},
	}, {Direction: "negative to positive", Line: 8, Scores: [3][]float64{{2}, {0}, {1}}}}
	path := filepath.Join(t.TempDir(), "rated.csv")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteRated(f, rated); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := ReadRated(path)
	if err != nil || !reflect.DeepEqual(got, rated) {
		t.Errorf("%+v, %v, want %+v", got, err, rated)
	}
	raw, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append([]byte("\ufeff"), raw...), 0o600) // as spreadsheets do
	}
	if got, wrong := ReadRated(path); err != nil || wrong != nil || !reflect.DeepEqual(got, rated) {
		t.Errorf("with a byte order mark: %v, %v", err, wrong)
	}
	words, places, of := rated[0].Output([]string{"3", "did", "n't", ".", "x"})
	if !of || strings.Join(words, " ") != "2 1 did , x" || !slices.Equal(places, []int{0, 0, 1, 3, 4}) {
		t.Errorf("%q at %v", words, places)
	}
	for _, other := range []string{"3 did not . x", "3 did n't", ""} {
		if _, _, of := rated[0].Output(strings.Fields(other)); of {
			t.Errorf("an output of %q", other)
		}
	}
}

// TestAPointIsAPoint: two outputs are compared if their totals are a point or more apart, counted
// in whole numbers, whatever quotients of readers round to.
func TestAPointIsAPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rated, sums, readers := make([]Rated, 2), [2]int{}, [2]int{}
		for k := range rated {
			readers[k] = rapid.IntRange(1, 7).Draw(t, "readers")
			for score := range rated[k].Scores {
				for range readers[k] {
					given := rapid.IntRange(0, 2).Draw(t, "score")
					sums[k] += given
					rated[k].Scores[score] = append(rated[k].Scores[score], float64(given))
				}
			}
		}
		apart := sums[0]*readers[1] - sums[1]*readers[0]
		want := max(apart, -apart) >= readers[0]*readers[1]
		got := Preferred([]string{"one", "one"}, []float64{rated[0].Total(), rated[1].Total()})
		if (len(got) == 1) != want {
			t.Fatalf("%+v: compared %v, want %v", rated, len(got) == 1, want)
		}
	})
}
