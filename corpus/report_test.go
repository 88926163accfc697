package corpus

import (
	"math"
	"reflect"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"pgregory.net/rapid"
)

func TestReport(t *testing.T) {
	// The expected numbers were counted by hand in the text of small(). In the training text, "."
	// occurs 6 times, "it" and "rains" occur 4 times each, and "again", "clouds", "is", "no",
	// "out", "sun" and "the" occur once each. The 4 words of the vocabulary are ".", "it", "rains"
	// and "again".
	r := small().Report(4)
	if r.VocabSize != 4 || r.TrainWords != 21 || r.TrainTypes != 10 || r.BothLabels != 1 {
		t.Errorf("whole: %+v", r)
	}
	want := [3][]PartInfo{
		{
			{
				Split: "train", Label: "wet", Sentences: 3, Duplicates: 1, Words: 10,
				Lengths: LengthStats{10. / 3, 4, 4},
			},
			{Split: "train", Label: "dry", Sentences: 3, Words: 11, OOVRate: 6. / 11, Lengths: LengthStats{11. / 3, 5, 5}},
		},
		{
			{
				Split: "dev", Label: "wet", Sentences: 2, Words: 5, OOVRate: 2. / 5,
				Lengths: LengthStats{2.5, 3, 3},
			},
			{
				Split: "dev", Label: "dry", Sentences: 1, Words: 3, OOVRate: 2. / 3,
				Lengths: LengthStats{3, 3, 3},
			},
		},
		{
			{
				Split: "test", Label: "wet", Sentences: 2, References: 2, Words: 5, OOVRate: 3. / 5,
				Lengths: LengthStats{2.5, 3, 3},
			},
			{
				Split: "test", Label: "dry", Sentences: 2, References: 2, Words: 8, OOVRate: 6. / 8,
				Lengths: LengthStats{4, 5, 5},
			},
		},
	}
	if !reflect.DeepEqual(r.Parts, want) {
		t.Errorf("parts\n%+v\nwant\n%+v", r.Parts, want)
	}
	for i, n := range []int{2, 1} { // dev in train, test in train
		if o := r.Overlaps[i]; o.Equal != n {
			t.Errorf("%+v, want %d equal", o, n)
		}
	}
}

// TestDescribe checks every statistic of random lengths against its definition.
func TestDescribe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lengths := rapid.SliceOfN(rapid.IntRange(1, 30), 1, 60).Draw(t, "lengths")
		s := describe(lengths)
		upTo := func(limit int) (n int) {
			for _, l := range lengths {
				if l <= limit {
					n++
				}
			}
			return n
		}
		if upTo(s.P95)*100 < 95*len(lengths) || upTo(s.P95-1)*100 >= 95*len(lengths) {
			t.Fatalf("p95 of %v is not %d", lengths, s.P95)
		}
		sum := 0
		for _, l := range lengths {
			sum += l
		}
		if upTo(s.Max) != len(lengths) || upTo(s.Max-1) == len(lengths) ||
			math.Abs(s.Mean*float64(len(lengths))-float64(sum)) > 1e-9 {
			t.Fatalf("%+v of %v", s, lengths)
		}
	})
	if got := describe(nil); got != (LengthStats{}) {
		t.Errorf("of nothing: %+v", got)
	}
}

// TestReportYelp checks the sizes and the overlap of the data set against the README of the data.
func TestReportYelp(t *testing.T) {
	d, err := Load(testkit.Shared(t, "yelp"), "yelp", []string{"negative", "positive"})
	if err != nil {
		t.Fatal(err)
	}
	r := d.Report(25_000)
	if r.Parts[Test][0].References != 500 {
		t.Errorf("references missing: %+v", r.Parts)
	}
	for k, distinct := range []int{100_470, 142_113} { // the README's numbers of "distinct lines"
		if got := r.Parts[Train][k].Sentences - r.Parts[Train][k].Duplicates; got != distinct {
			t.Errorf("style %d has %d distinct training sentences, want %d", k, got, distinct)
		}
	}
	for _, o := range r.Overlaps {
		if o.In == "train" && o.Equal != 0 {
			t.Errorf("%d %s sentences are in train", o.Equal, o.Split)
		}
	}
	t.Logf("%+v", r)
}
