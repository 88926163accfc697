package corpus

import (
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
				Lengths: LengthStats{3, 3, 10. / 3, 4, 4},
			},
			{Split: "train", Label: "dry", Sentences: 3, Words: 11, OOV: 6, Lengths: LengthStats{3, 3, 11. / 3, 5, 5}},
		},
		{
			{
				Split: "dev", Label: "wet", Sentences: 2, InTrain: 1, Words: 5, OOV: 2,
				Lengths: LengthStats{2, 2.5, 2.5, 3, 3},
			},
			{
				Split: "dev", Label: "dry", Sentences: 1, InTrain: 1, Words: 3, OOV: 2,
				Lengths: LengthStats{3, 3, 3, 3, 3},
			},
		},
		{
			{
				Split: "test", Label: "wet", Sentences: 2, References: 2, Words: 5, OOV: 3,
				Lengths: LengthStats{2, 2.5, 2.5, 3, 3},
			},
			{
				Split: "test", Label: "dry", Sentences: 2, References: 2, InTrain: 1, Words: 8, OOV: 6,
				Lengths: LengthStats{3, 4, 4, 5, 5},
			},
		},
	}
	for s := range want {
		for k := range want[s] {
			want[s][k].OOVRate = float64(want[s][k].OOV) / float64(want[s][k].Words)
		}
	}
	if !reflect.DeepEqual(r.Parts, want) {
		t.Errorf("parts\n%+v\nwant\n%+v", r.Parts, want)
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
		if upTo(s.Max) != len(lengths) || upTo(s.Min-1) != 0 || s.Mean < float64(s.Min) || s.Mean > float64(s.Max) {
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
	for _, s := range []Split{Dev, Test} {
		for k := range 2 {
			if p := r.Parts[s][k]; p.InTrain != 0 {
				t.Errorf("%s %s: %d sentences are in train", p.Split, p.Label, p.InTrain)
			}
		}
	}
	t.Logf("%+v", r)
}
