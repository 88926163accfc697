package metrics

import (
	"fmt"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// UnseenJudge is a judge of style that is trained on text which neither the models nor what guides,
// selects or evaluates them has read.
type UnseenJudge struct {
	Key   string // in Input.Judges
	Name  string // in tables: "CNN"
	Whole bool   // it may also find a text mixed
}

// UnseenJudges are two of different kinds, each with and without a class for mixed texts.
var UnseenJudges = []UnseenJudge{
	{"unseen_fasttext", "fastText", false},
	{"unseen_cnn", "CNN", false},
	{"unseen_whole_fasttext", "fastText", true},
	{"unseen_whole_cnn", "CNN", true},
}

// tstUnseen and tstUnseenWhole are the means of what these judges say. What guide and evaluation
// classifier read is one text: that two such judges agree may mean that they have the same gaps.
var (
	tstUnseen = meanOfUnseen("tst_unseen", false, Metric{
		Head: "TST%\nunseen",
		Note: "TST% unseen: mean TST% by two kinds of classifiers, trained on text that no other part of the study reads.",
	})
	tstUnseenWhole = meanOfUnseen("tst_unseen_whole", true, Metric{
		Head: "unseen\nwhole",
		Note: "unseen whole: TST% unseen by classifiers that may also call a text mixed.",
	})
)

// tstOfUnseen are TST% by each of UnseenJudges.
var tstOfUnseen = lists.Map(UnseenJudges, func(j UnseenJudge) *Metric {
	head := "unseen " + j.Name
	if j.Whole {
		head += ", whole"
	}
	return tstBy("tst_"+j.Key, "right_"+j.Key, Metric{Head: "TST%\n" + head, Group: GroupOther, Aside: true},
		func(in *Input) Judged { return in.Judges[j.Key] })
})

// meanOfUnseen fills in the mean over the unseen judges that may find a text mixed, or over those
// that may not.
func meanOfUnseen(key string, whole bool, m Metric) *Metric {
	judges := lists.Where(UnseenJudges, func(j UnseenJudge) bool { return j.Whole == whole })
	m.Key, m.Better, m.Group, m.Decimals, m.pooled, m.tested = key, Higher, GroupResults, 1, true, true
	m.needs = lists.Map(judges, func(j UnseenJudge) string { return "right_" + j.Key })
	m.signature = func(dirs []*measured) string {
		var names []string
		for _, j := range judges {
			name := joinNames(dirs, func(d *measured) string { return d.Judges[j.Key].Name })
			for _, d := range dirs {
				if d.Judges[j.Key].Styles == nil {
					return ""
				}
			}
			names = append(names, name)
		}
		return fmt.Sprintf("tst|level:micro|mean-of-classifiers:%s|version:1", strings.Join(names, ","))
	}
	m.total = func(t *totals) float64 {
		right := 0.0
		for _, counted := range m.needs {
			right += t.sum(counted)
		}
		return 100 * right / float64(len(m.needs)*t.n)
	}
	return &m
}
