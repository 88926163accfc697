package report

import (
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/metrics"
)

// namedRecords returns records that differ in all parts of their names.
func namedRecords() []*Record {
	ours := func(name string, settings ...string) *Record {
		return system("tiny", name, &metrics.Scores{}, settings...)
	}
	return []*Record{
		0: ours("SMLM", "lambda_eps", "0", "decoding", "copied", Seed, "1"),
		1: ours("SMLM", "lambda_eps", "0", "decoding", "guided", Seed, "1"),
		2: ours("SMLM", "lambda_eps", "0.5", "decoding", "guided", Seed, "1"),
		3: ours("SMLM", "lambda_eps", "0.5", "decoding", "guided", Seed, "2"),
		4: ours("SMLM-G", "guided.phrases", "true", Seed, "1"),
		5: as(Published, ours("Tag (2020)")),
		6: as(Published, ours("Tag")),
		7: as(People, ours("references")),
	}
}

func TestName(t *testing.T) {
	all := namedRecords()
	for _, c := range []struct{ got, want string }{
		{all[3].Name(), "SMLM (guided, lambda_eps 0.5, seed 2)"},
		{all[3].Name(Seed), "SMLM (guided, lambda_eps 0.5)"},
		{all[3].Name(Seed, "lambda_eps", "decoding"), "SMLM"},
		{all[3].SystemName(), "SMLM (guided)"},
		{all[4].Name(), "SMLM-G (guided.phrases yes, seed 1)"},
		{all[5].Name(), "Tag (2020)"},
		{all[4].SystemName(), "SMLM-G"},
		{WithSeeds(all[3].Name(Seed), 3), "SMLM (guided, lambda_eps 0.5, 3 seeds)"},
		{WithSeeds("SMLM", 1), "SMLM (1 seed)"},
	} {
		if c.got != c.want {
			t.Errorf("the name is %q, want %q", c.got, c.want)
		}
	}
}

// TestNamed checks that a name matches the records that have its system and settings. Settings may
// be written as printed or as assignments. The name must not match a system with a longer name.
func TestNamed(t *testing.T) {
	all := namedRecords()
	for name, want := range map[string][]int{
		"SMLM":                                 {0, 1, 2, 3},
		"smlm":                                 {0, 1, 2, 3},
		"SMLM:lambda_eps=0.5":                  {2, 3},
		"smlm:lambda_eps=0.50,seed=2":          {3},
		"SMLM, lambda_eps=0.5":                 {2, 3},
		"SMLM (guided)":                        {1, 2, 3},
		"SMLM (Guided)":                        {1, 2, 3},
		"SMLM (0.5)":                           {2, 3},
		"SMLM (lambda_eps 0.0)":                {0, 1},
		"SMLM‡ (guided, lambda_eps 0.5)":       {2, 3},
		"SMLM (lambda_eps 0.5, 2 seeds)":       {2, 3},
		"SMLM (guided, lambda_eps 0.5, seed 2": {3},
		"SMLM-G (guided.phrases yes)":          {4},
		"SMLM-G":                               {4},
		"Tag (2020)":                           {5},
		"tag":                                  {6},
		"Tag †":                                {6},
		"References":                           {7},
		"SMLM (gided)":                         nil,
		"SMLM-G (guided)":                      nil,
		"SMLM:lambda_eps=1":                    nil,
		"SMLM:seed=3":                          nil,
		"SMLMG":                                nil,
		"human reference":                      nil,
		"":                                     nil,
	} {
		got := lists.Map(Named(all, name), func(r *Record) int { return slices.Index(all, r) })
		if !slices.Equal(got, want) {
			t.Errorf("%q matches records %v, want %v", name, got, want)
		}
	}
	for i, r := range all[:5] {
		if got := Named(all, r.Name()); len(got) != 1 || got[0] != r {
			t.Errorf("the name %q of record %d matches %d records", r.Name(), i, len(got))
		}
	}
	for name, want := range map[string]bool{
		"SMLM": true, "smlm (guided)": true, "SMLM:seed=1": true, "SMLM, guided": true, "SMLM-G": false, "SML": false,
	} {
		if OfSystem(name, "SMLM") != want {
			t.Errorf("%q names SMLM: %v", name, !want)
		}
	}
}
