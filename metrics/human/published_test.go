package human

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// The constant published is the folder with the ratings by LLM judges that
// docs/results/llm-judges.md reports.
const published = "../../docs/results/llm-judges"

// TestPublishedRatings computes the published tables again from the published ratings. The ratings
// are in thirteen files, called readings, each by two LLM judges. The tables contain the shares of
// the systems, the agreement of the judges, and all sign tests. Holm's correction covers the sign
// tests of all thirteen files together.
func TestPublishedRatings(t *testing.T) {
	shares := "reading,split,sentences,system,flawless %,fully transferred %,content kept %,fluent %\n"
	agreement := "reading,judges,ratings,equal style %,equal content %,equal fluency %,alpha style,alpha content,alpha fluency\n"
	var comparisons []SignTest
	var readings []int
	for reading := 1; reading <= 13; reading++ {
		r, err := ReadRatings(filepath.Join(published, fmt.Sprintf("readings-yelp-%d.csv", reading)))
		if err != nil || r.Check() != nil || len(r.Readers()) != 2 {
			t.Fatalf("reading %d: %d ratings (%v)", reading, len(r), err)
		}
		for _, s := range r.Shares() {
			shares += fmt.Sprintf("%d,%s,%d,%q,%.1f,%.1f,%.1f,%.1f\n", reading, r[0].Split, s.Sentences, s.System,
				s.Flawless.Value, s.Scores[0].Value, s.Scores[1].Value, s.Scores[2].Value)
		}
		equal, alphas := equalScores(r), r.Alphas()
		agreement += fmt.Sprintf("%d,2,%d,%.1f,%.1f,%.1f,%.2f,%.2f,%.2f\n", reading, len(r), equal[0], equal[1], equal[2],
			alphas[0], alphas[1], alphas[2])
		for _, test := range r.SignTests() {
			comparisons, readings = append(comparisons, test), append(readings, reading)
		}
	}
	tests := "reading,A,B,A better,B better,p,Holm's p\n"
	for i, corrected := range holm(comparisons) {
		c := comparisons[i]
		tests += fmt.Sprintf("%d,%q,%q,%d,%d,%.2g,%.2g\n", readings[i], c.A, c.B, c.Higher, c.Lower, c.P, corrected)
	}
	testkit.Golden(t, filepath.Join(published, "shares.csv"), shares)
	testkit.Golden(t, filepath.Join(published, "agreement.csv"), agreement)
	testkit.Golden(t, filepath.Join(published, "comparisons.csv"), tests)
}

// equalScores returns, for each scale, the percentage of outputs to which two judges give the same
// score.
func equalScores(r Ratings) (equal [3]float64) {
	for _, system := range r.Systems() {
		for _, pair := range r.bySentence(system) {
			for k := range equal {
				equal[k] += oneIf(pair[0].Scores[k] == pair[1].Scores[k]) * 200 / float64(len(r))
			}
		}
	}
	return equal
}

// holm returns the p-values with Holm's correction.
func holm(tests []SignTest) []float64 {
	order := make([]int, len(tests))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(tests[a].P, tests[b].P) })
	corrected, previous := make([]float64, len(tests)), 0.0
	for k, i := range order {
		previous = max(previous, min(1, float64(len(tests)-k)*tests[i].P))
		corrected[i] = previous
	}
	return corrected
}

// TestJudgesAndPeople computes the numbers of docs/results/llm-judges.md that compare LLM judges
// with people. Systems are ranked by the mean product of the three scores, as in TextDetox 2024.
func TestJudgesAndPeople(t *testing.T) {
	columns := []string{"system"}
	for _, who := range []string{"people", "judge1", "judge2"} {
		columns = append(columns, who+"_style", who+"_content", who+"_fluency")
	}
	rows, err := readTable(filepath.Join(published, "judges-and-people.csv"), columns)
	if err != nil {
		t.Fatal(err)
	}
	var people, judges [3][]float64
	systems, products := []string{}, [2][]float64{}
	equal, fluent := 0.0, 0.0
	for _, row := range rows {
		var score [9]float64
		for k, column := range columns[1:] {
			if score[k], err = strconv.ParseFloat(row.field[column], 64); err != nil {
				t.Fatal(err)
			}
		}
		for k := range 3 {
			people[k], judges[k] = append(people[k], score[k]), append(judges[k], score[3+k]+score[6+k])
			equal += oneIf(score[3+k] == score[6+k])
		}
		fluent += score[2]
		at := slices.Index(systems, row.field["system"])
		if at < 0 {
			at, systems = len(systems), append(systems, row.field["system"])
			products[0], products[1] = append(products[0], 0), append(products[1], 0)
		}
		products[0][at] += math.Round(6 * score[0] * score[1] * score[2]) // products of people's scores: k/6
		products[1][at] += score[3]*score[4]*score[5] + score[6]*score[7]*score[8]
	}
	rho := func(k int) float64 { return correlation(ranks(people[k]), ranks(judges[k])) }
	n := float64(len(rows))
	got := fmt.Sprintf("%g outputs, %d systems: rho %.2f %.2f %.2f, tau-b %.2f, fluent %.1f %%, equal %.1f %%", n, len(systems),
		rho(0), rho(1), rho(2), correlation(signs(products[0]), signs(products[1])), 100*fluent/n, 100*equal/(3*n))
	const want = "160 outputs, 20 systems: rho 0.62 0.52 0.03, tau-b 0.51, fluent 97.5 %, equal 96.2 %"
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// ranks returns the rank of each value. Equal values share the mean of their ranks.
func ranks(values []float64) (out []float64) {
	for _, v := range values {
		rank := 0.0
		for _, other := range values {
			rank += oneIf(other < v) + oneIf(other == v)/2
		}
		out = append(out, rank)
	}
	return out
}

// signs returns the sign of the difference for every ordered pair of values. The correlation of the
// signs of two lists is Kendall's tau-b.
func signs(values []float64) (out []float64) {
	for _, a := range values {
		for _, b := range values {
			out = append(out, float64(cmp.Compare(a, b)))
		}
	}
	return out
}

// correlation returns Pearson's correlation. For ranks, this is Spearman's rho.
func correlation(a, b []float64) float64 {
	var sa, sb, aa, bb, ab float64
	for i := range a {
		sa, sb = sa+a[i], sb+b[i]
		aa, bb, ab = aa+a[i]*a[i], bb+b[i]*b[i], ab+a[i]*b[i]
	}
	n := float64(len(a))
	return (n*ab - sa*sb) / math.Sqrt((n*aa-sa*sa)*(n*bb-sb*sb))
}
