package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/metrics"
)

// TestSeeds checks means over seeds. If a system's outputs have collapsed with one seed, the system
// is not ranked.
func TestSeeds(t *testing.T) {
	ours := func(name string, seed int, tst, mean, share float64) *Record {
		return system("market", name, scores(tst, -1, 50, .8, mean, share, .1, 10, 10, 0, 0), Seed, fmt.Sprint(seed))
	}
	records := []*Record{
		ours("SMLM", 1, 60, 70, .1), ours("SMLM-FT", 1, 95, 90, .1), ours("SMLM", 2, 62, 71, .3), ours("SMLM-FT", 2, 97, 91, .9),
		ours("SMLM", 3, 64, 72, .2), ours("SMLM-G", 1, 50, 60, .1),
		as(Published, system("market", "Tag", scores(88, -1, 50, .8, 73, .1, .1, 10, 10, 0, 0))),
	}
	made := Build("seeds", records, About{Seeds: []uint64{1, 2, 3}})
	if got, want := heads(made), "System,seeds,TST%,s-BLEU,Nat.,Mean,most frequent new word %"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	want := []string{
		"SMLM|3|62.0 ± 2.0|50.0 ± 0.0|0.80 ± 0.00|71.0 ± 1.0|30.0 / 10.0",
		"SMLM-FT‡|2|96.0 ± 1.4|50.0 ± 0.0|0.80 ± 0.00|90.5 ± 0.7‡|90.0 / 10.0",
		"SMLM-G|1|50.0|50.0|0.80|60.0|10.0 / 10.0",
		"Tag|1|88.0|50.0|0.80|73.0|10.0 / 10.0",
	}
	if d := cmp.Diff(want, lines(made)); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
	marks := lists.Map(made.Rows, func(r Row) bool { return r.Cells[5].Best })
	if !slices.Equal(marks, []bool{Plain, Plain, Plain, Best}) {
		t.Errorf("marks of Mean %v", marks)
	}
	notes := strings.Join(said(made), "\n")
	if !strings.Contains(notes, "SMLM-FT (seed 2)") || strings.Contains(notes, "SMLM-FT (seed 1)") ||
		!strings.Contains(notes, "deviation over seeds.") {
		t.Errorf("notes:\n%s", notes)
	}
	// Records with different settings are in different rows. If each row has one seed, there is no
	// column "seeds".
	records[2].Axes = append(records[2].Axes, swept("lambda_eps", "0.5")...)
	if got := len(Build("seeds", records, About{}).Rows); got != 5 {
		t.Errorf("%d rows, want 5", got)
	}
	if got := heads(Build("seeds", records[:2], About{})); !strings.HasPrefix(got, "System,TST%") {
		t.Errorf("columns %s", got)
	}
}

// TestSeedsAlike checks a table with one row per seed. If the outputs of one seed have a flaw, the
// system is not ranked in any row, and the table says so. Only the row of this seed has the flaw's
// sign.
func TestSeedsAlike(t *testing.T) {
	of := func(name string, seed int, tst, content float64) *Record {
		return system("market", name, scores(tst, -1, content, .8, (tst+content+80)/3, .1, .1, 10, 10, 0, 0), Seed, fmt.Sprint(seed))
	}
	records := []*Record{
		of("SMLM", 1, .3, 82.4), of("SMLM", 2, 99, 90), of("SMLM-FT", 1, 70, 50), of("SMLM-FT", 2, 60, 40),
	}
	const says = "A system with a sign in one row is not ranked in any row."
	made := Build("results", records, About{})
	marks := lists.Map(made.Rows, func(r Row) bool { return r.Cells[made.Column("s_bleu")].Best })
	signs := lists.Map(made.Rows, func(r Row) string { return r.Cells[0].Sign })
	if !slices.Equal(marks, []bool{Plain, Plain, Best, Plain}) || !slices.Equal(signs, []string{"‖", "", "", ""}) {
		t.Errorf("marks of s-BLEU %v, signs %q", marks, signs)
	}
	if made.Unmarked != says {
		t.Errorf("the table says %q", made.Unmarked)
	}
	if made = Build("results", slices.Delete(records, 1, 2), About{}); made.Unmarked != "" {
		t.Errorf("with one seed, the table says %q", made.Unmarked)
	}
	records[0].Axes = append(records[0].Axes, swept("lambda_eps", "0.5")...)
	made = Build("results", append(records[:3], of("SMLM", 2, 99, 90)), About{})
	if got := made.Rows[1].Cells[made.Column("s_bleu")].Best; !got {
		t.Errorf("another setting of the system is marked %v", got)
	}
}

// devRecords returns the records of studySeeds as if they measured dev outputs, which have no
// perplexity.
func devRecords() []*Record {
	records := studySeeds()
	for _, r := range records {
		r.From = FromSelection
		delete(r.Values, "perplexity")
	}
	return records
}

// TestSelection checks that the table of dev outputs contains only records of dev outputs. It must
// not have the usual definition of TST%, because another model computes it for dev outputs.
func TestSelection(t *testing.T) {
	all := append(studySeeds(), devRecords()...)
	selection, seeds := Build("selection", all[:len(all)-1], studyAbout()), Build("seeds", all, studyAbout())
	for _, m := range metrics.ColumnsOf("tst", "perplexity") {
		if slices.Contains(selection.Defines, m.Note) || !slices.Contains(seeds.Defines, m.Note) {
			t.Errorf("%s is defined as %q and %q", m.Key, selection.Defines, seeds.Defines)
		}
	}
	if len(selection.Rows) != len(seeds.Rows)-1 || len(seeds.Notes) != 0 ||
		!strings.HasPrefix(selection.Notes[0], "On dev outputs, a fastText-like classifier") {
		t.Errorf("%d and %d rows, notes %q and %q", len(selection.Rows), len(seeds.Rows), selection.Notes, seeds.Notes)
	}
}
