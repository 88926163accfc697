package results

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// system returns a system with the given axes: key, value, key, value.
func system(axes ...string) *System {
	s := &System{Record: &report.Record{From: report.FromSystems, Scores: &metrics.Scores{}}}
	for i := 0; i < len(axes); i += 2 {
		s.Axes = append(s.Axes, report.Axis{Key: axes[i], Value: axes[i+1]})
	}
	return s
}

// The function published returns a published system.
func published(name string) *System {
	s := system(report.Dataset, "tiny", report.System, name)
	s.Kind = report.Published
	return s
}

// seeds returns results with two settings of SMLM, each with two seeds, and a published system. The
// second setting has the higher average Mean, but the seed with the highest Mean belongs to the
// first setting.
func seeds() *Results {
	smlm := func(epsilon, seed string, mean float64) *System {
		s := system(report.Dataset, "tiny", report.System, "SMLM", "lambda_eps", epsilon, report.Seed, seed)
		s.Scores.Metrics = metrics.Values{"mean": mean}
		return s
	}
	dirR := published("DirR")
	dirR.Scores.Metrics = metrics.Values{"mean": 71}
	return &Results{Systems: []*System{
		smlm("0", "1", 80), smlm("0.5", "1", 75), smlm("0", "2", 60), smlm("0.5", "2", 74), dirR,
	}}
}

// The method at returns the systems with the given indices.
func (r *Results) at(indices ...int) (systems []*System) {
	for _, i := range indices {
		systems = append(systems, r.Systems[i])
	}
	return systems
}

// TestFindSeeds: a name means one system, or all seeds of a system with the same settings.
func TestFindSeeds(t *testing.T) {
	r := seeds()
	for name, want := range map[string][]int{
		"SMLM:lambda_eps=0": {0, 2}, "SMLM:lambda_eps=0.5": {1, 3}, "SMLM:lambda_eps=0,seed=2": {2}, "DirR": {4},
		"smlm:lambda_eps=0": {0, 2}, "dirr": {4}, "DirR ‡": {4},
		"SMLM (lambda_eps 0, 2 seeds)": {0, 2}, "SMLM (lambda_eps 0, seed 2)": {2}, "SMLM (0.5)": {1, 3},
		"smlm, lambda_eps=0.5": {1, 3}, "SMLM§ (0)": {0, 2},
	} {
		if got, err := r.Find("", name); err != nil || !slices.Equal(got, r.at(want...)) {
			t.Errorf("%s means %v, want %v; %v", name, r.names(got), r.names(r.at(want...)), err)
		}
	}
	_, err := r.Find("tiny", "SMLM:seed=1")
	testkit.WantError(t, err, userr.BadInput,
		`"SMLM:seed=1" means 2 rows: use "SMLM (lambda_eps 0, seed 1)" or "SMLM (lambda_eps 0.5, seed 1)"`)
}

// TestFindPrinted: systems are found by the names that tables print, but not by a part of another
// system's name.
func TestFindPrinted(t *testing.T) {
	ours := func(name string, axes ...string) *System {
		return system(append([]string{report.Dataset, "tiny", report.System, name, report.Seed, "1"}, axes...)...)
	}
	people := published("references")
	people.Kind = report.People
	r := &Results{Systems: []*System{
		ours("SMLM", "masking", "attention", "decoding", "copied"), ours("SMLM", "masking", "attention", "decoding", "guided"),
		ours("SMLM-G", "decoding", "predicted"), ours("SMLM-G", "decoding", "copied", "guided.phrases", "true"),
		people, published("Tag (2020)"), published("Tag"),
	}}
	for _, s := range r.Systems {
		for _, name := range []string{s.SystemName(), s.Name(), s.Name(report.Seed)} {
			if got, err := r.Find("tiny", name); err != nil || !slices.Equal(got, []*System{s}) {
				t.Errorf("%s means %v, want %s; %v", name, r.names(got), s.Name(), err)
			}
		}
	}
	for name, want := range map[string]int{
		"SMLM (attention, guided)": 1, "SMLM (guided)": 1, "smlm (copied)": 0, "SMLM-G (predicted)": 2,
		"SMLM-G (copied, guided.phrases yes)": 3, "References": 4, "tag": 6, "Tag (2020)": 5,
	} {
		if got, err := r.Find("tiny", name); err != nil || !slices.Equal(got, r.at(want)) {
			t.Errorf("%s means %v, want %s; %v", name, r.names(got), r.Systems[want].Name(), err)
		}
	}
	for name, want := range map[string]string{
		"SMLM (gided)": `"SMLM (gided)" is not a finished row: use "SMLM-G (predicted)", `,
		"SMLM-G (guided)": `"SMLM-G (guided)" is not a finished row: use "SMLM-G (predicted)", "Tag (2020)", ` +
			`"SMLM (attention, guided)", `,
		"SMLMG":           `"SMLMG" is not a finished row: use `,
		"SMLM (copied":    "",
		"human reference": `"human reference" is not a finished row: use "references", `,
		"SMLM":            `"SMLM" means 2 rows: use "SMLM (attention, copied)" or "SMLM (attention, guided)"`,
	} {
		_, err := r.Find("tiny", name)
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		testkit.WantError(t, err, userr.BadInput, want)
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("more than a sentence: %q", err)
		}
	}
}

// TestFindAsMain: if dev outputs chose a sweep point of a system, the system's name means this
// point, as in the table "main".
func TestFindAsMain(t *testing.T) {
	r := seeds()
	for _, s := range r.Systems {
		s.score = &plan.Stage{}
	}
	shown := map[*plan.Stage]bool{r.Systems[1].score: true, r.Systems[3].score: true}
	r.chosen = &pointChoice{shown: shown}
	for name, want := range map[string][]int{
		"SMLM": {1, 3}, "SMLM:seed=2": {3}, "SMLM (lambda_eps 0)": {0, 2}, "DirR": {4},
	} {
		if got, err := r.FindAsMain("tiny", name); err != nil || !slices.Equal(got, r.at(want...)) {
			t.Errorf("%s means %v, want %v; %v", name, r.names(got), r.names(r.at(want...)), err)
		}
	}
	// Show both settings, as if dev outputs had chosen nothing.
	shown[r.Systems[0].score], shown[r.Systems[2].score] = true, true
	_, err := r.FindAsMain("tiny", "SMLM")
	testkit.WantError(t, err, userr.BadInput,
		`"SMLM" means 4 rows: use "SMLM (lambda_eps 0)" or "SMLM (lambda_eps 0.5)"`)
}

// TestFindListsRows: the message for an unknown name lists the nearest names first, and says how
// many other names there are.
func TestFindListsRows(t *testing.T) {
	r := seeds()
	want := `"nobody" is not a finished row: use "DirR", "SMLM (lambda_eps 0)" or "SMLM (lambda_eps 0.5)"`
	_, err := r.Find("tiny", "nobody")
	testkit.WantError(t, err, userr.BadInput, want)
	for epsilon := 1; epsilon < 8; epsilon++ {
		r.Systems = append(r.Systems, system(report.Dataset, "tiny", report.System, "SMLM", "lambda_eps",
			strconv.Itoa(epsilon), report.Seed, "1"))
	}
	_, err = r.Find("tiny", "smlm")
	testkit.WantError(t, err, userr.BadInput, `"smlm" means 11 rows: use "SMLM (lambda_eps 0)", `)
	_, err = r.Find("tiny", "smml (lambda_eps 7)")
	testkit.WantError(t, err, userr.BadInput, `is not a finished row: use "SMLM (lambda_eps 7)", "SMLM (lambda_eps 0)", `)
	if want := " or one of 2 others in the table of results"; !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%q does not end with %q", err, want)
	}
}

// TestTitles checks how systems that differ only in the seed are called.
func TestTitles(t *testing.T) {
	r := seeds()
	for want, group := range map[string][]*System{
		"SMLM (lambda_eps 0.5, 2 seeds)": r.at(1, 3), "SMLM (lambda_eps 0, seed 2)": r.at(2), "DirR": r.at(4),
	} {
		if got := r.title(group); got != want {
			t.Errorf("%v are called %q, want %q", r.names(group), got, want)
		}
	}
}
