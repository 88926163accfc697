package plan

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/runs/data"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// unseenData makes a data set in dir/data. The parameter "train" is the number of training
// sentences per style. The parameter "extra" is the number of lines in each of the files
// train_extra.{0,1}.txt. If extra is 0, these files are not made.
func unseenData(t *testing.T, dir string, train, extra int) {
	t.Helper()
	data := filepath.Join(dir, "data")
	testkit.WriteData(t, data, 3)
	for style := range 2 {
		text := fmt.Sprint("a lamp of style ", style)
		testkit.WriteLines(t, filepath.Join(data, corpus.FileName(corpus.Train, style)), train, text)
		if extra > 0 {
			testkit.WriteLines(t, filepath.Join(data, corpus.ExtraName(style)), extra, "an extra "+text)
		}
	}
}

// TestUnseenAuto: a data set may have several texts that could be the unseen text, which only a
// judge of style reads. The test checks that the first one that is large enough is chosen. If none
// is large enough, there is no such judge. Models read less text than before only if a share of the
// training text is set aside.
func TestUnseenAuto(t *testing.T) {
	for _, c := range []struct {
		name         string
		train, extra int
		set          []string
		want         data.UnseenFrom
	}{
		{"nothing", 100, 0, nil, ""},
		{"further sentences", 100, 600, nil, data.UnseenExtra},
		{"too few of them", 100, 400, nil, ""},
		{"further sentences that are trained on", 100, 600, []string{"train_extra=true"}, ""},
		{"what max_train leaves", 800, 0, []string{"max_train=200"}, data.UnseenLeft},
		{"too little of it", 800, 0, []string{"max_train=400"}, ""},
		{"further sentences before that", 800, 600, []string{"max_train=200"}, data.UnseenExtra},
		{"a share", 12000, 0, nil, data.UnseenShare},
		{"too small a share", 6000, 0, nil, ""},
		{"what max_train leaves before a share", 12000, 0, []string{"max_train=11000"}, data.UnseenLeft},
		{"a share of what max_train draws", 12000, 0, []string{"max_train=11700"}, data.UnseenShare},
		{"of another corpus", 100, 600, []string{"unseen=" + inventedUnseen}, data.UnseenFolder},
		{"none though there are some", 100, 600, []string{"unseen=none"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			unseenData(t, dir, c.train, c.extra)
			set := func(key string) string { return "datasets.tiny." + key }
			var sets, without []string
			for _, key := range c.set {
				sets = append(sets, set(key))
			}
			p := newPlan(t, loadIn(t, dir, testkit.SmallStudy, sets...))
			if u := p.Sets["tiny"].Unseen; u != nil && u.From != c.want || u == nil && c.want != "" {
				t.Errorf("the unseen text is %+v, want %q", u, c.want)
			}
			n := map[stage.Name]int{}
			for _, s := range p.Stages {
				n[s.Name]++
			}
			texts := 0
			if c.want != "" {
				texts = 1
			}
			if n[stages.Unseen] != texts || n[stages.UnseenCNN] != texts {
				t.Errorf("%d texts and %d word CNNs, want %d", n[stages.Unseen], n[stages.UnseenCNN], texts)
			}
			// Unseen text changes only the stages that judge or measure, unless a share of the
			// training text is set aside.
			without = append(slices.Clone(sets), set("unseen=none"))
			before, after := ids(newPlan(t, loadIn(t, dir, testkit.SmallStudy, without...))), ids(p)
			for _, name := range stages.Names() {
				judged := strings.HasPrefix(string(name), string(stages.Unseen)) ||
					name == stages.Score || name == stages.Published || name == stages.Accuracy
				same := cmp.Equal(before[name], after[name])
				if c.want == data.UnseenShare {
					if same != (len(before[name]) == 0 && len(after[name]) == 0) {
						t.Errorf("%s is the same beside what is set aside: %t", name, same)
					}
				} else if !judged && !same {
					t.Errorf("%s is another one beside a text that it does not read", name)
				}
			}
		})
	}
}

// TestUnseenShare: setting a share of the training text aside changes the identity of the stage
// "prepare".
func TestUnseenShare(t *testing.T) {
	dir := t.TempDir()
	unseenData(t, dir, 12000, 0)
	parted := newPlan(t, loadIn(t, dir, testkit.SmallStudy))
	whole := newPlan(t, loadIn(t, dir, testkit.SmallStudy, "datasets.tiny.unseen=none"))
	if idOf(t, parted, stages.Prepare).ID == idOf(t, whole, stages.Prepare).ID {
		t.Error("a share is set aside, and the training text is the same")
	}
}

// TestUnseenOfDemo: for the demo, the unseen text is generated, and it changes no stages except
// scores.
func TestUnseenOfDemo(t *testing.T) {
	const text = "wordnet = 'none'\n[datasets.demo]\nbuiltin = 'demo'\nmax_train = 3200\n"
	p := newPlan(t, loadIn(t, t.TempDir(), text))
	if u := p.Sets["demo"].Unseen; u.From != data.UnseenGenerated {
		t.Errorf("the unseen text is from %q", u.From)
	}
	without := ids(newPlan(t, loadIn(t, t.TempDir(), text, "datasets.demo.unseen=none")))
	for name, these := range without {
		for _, id := range these {
			if name != stages.Score && name != stages.Published && !slices.Contains(ids(p)[name], id) {
				t.Errorf("a stage %s is another one", name)
			}
		}
	}
}
