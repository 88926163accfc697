package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/metrics"
)

// TestScoreYelp scores two published systems on the real test set. The expected BLEU and
// naturalness were computed by another program; notes/published-outputs.md has them (columns "ours"
// and "CAAE"). notes/prototype.md has the expected shares that show whether a system has collapsed
// to a few words, with two decimals.
func TestScoreYelp(t *testing.T) {
	yelp, outputs := testkit.Shared(t, "yelp"), testkit.Shared(t, "outputs", "yelp")
	weights := testkit.Shared(t, "naturalness", "unigram_CAAE.tsv")
	for _, want := range []struct {
		system     string
		s, r, nat  float64
		share      [2]float64
		distinct   [2]int
		repeatMost float64
	}{
		{"DirR", 60.79, 23.54, 0.843, [2]float64{0.21, 0.29}, [2]int{100, 67}, 0.005},
		{"cycleMulti", 63.06, 22.47, 0.873, [2]float64{0.08, 0.06}, [2]int{227, 212}, 0.005},
	} {
		args := []string{"smlm-exp", "score", "--json", "--naturalness", weights}
		for _, k := range []string{"0", "1"} {
			args = append(args, "--source", filepath.Join(yelp, "test."+k+".txt"), "--reference", filepath.Join(yelp,
				"reference."+k+".txt"),
				"--output", filepath.Join(outputs, want.system+"."+k+".txt"))
		}
		var out, errs bytes.Buffer
		if status := Main(context.Background(), args, nil, strings.NewReader(""), &out, &errs); status != 0 {
			t.Fatalf("%s: status %d: %s", want.system, status, errs.String())
		}
		var got metrics.Scores
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		near := func(what string, got, want, tolerance float64) {
			if math.Abs(got-want) > tolerance {
				t.Errorf("%s %s = %.3f, want %.3f", args[len(args)-1], what, got, want)
			}
		}
		near("s_bleu", got.Metrics["s_bleu"], want.s, 0.1)
		near("r_bleu", got.Metrics["r_bleu"], want.r, 0.1)
		near("naturalness", got.Metrics["naturalness"], want.nat, 0.002)
		_, style := got.Metrics["tst"]
		if _, mean := got.Metrics["mean"]; style || mean {
			t.Errorf("%s: TST%% and Mean without a classifier: %v", want.system, got.Metrics)
		}
		for k, d := range got.Directions {
			near("share", d.MostFrequentNewWordShare, want.share[k], 0.0051)
			near("repeat", d.RepeatShare, 0, want.repeatMost)
			if d.DistinctNewWords != want.distinct[k] {
				t.Errorf("%s: %d distinct new words, want %d", want.system, d.DistinctNewWords, want.distinct[k])
			}
		}
	}
}
