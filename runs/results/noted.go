package results

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// note is a sentence, and the tables under which it is said: those that have rows of what it is
// about.
type note struct {
	text   string
	tables []string
}

// onPage stands for a table where a note is for the page alone.
const onPage = "page"

// Tables by what their rows are.
var (
	ofSystems  = []string{"main", "results", "seeds", "content", "bleu", "intervals", "significance"}
	ofModels   = append(slices.Clone(ofSystems), "selection", "search", "switches", "human", "examples")
	ofAnything = append(slices.Clone(ofModels), "classifier", "divlstm", "attribution", "training")
)

// trainedFor are the models that the rows of tables come from.
var trainedFor = []struct {
	tables []string
	kinds  []stage.Kind
}{
	{ofModels, lists.Where(trainedKinds, func(k stage.Kind) bool { return k != stages.FastText })},
	{[]string{"classifier"}, []stage.Kind{stages.Classifier, stages.FastText}},
	{[]string{"divlstm"}, []stage.Kind{stages.DivLSTM}},
	{[]string{"attribution"}, []stage.Kind{stages.Classifier, stages.DivLSTM}},
}

// notesUnder are those of a table.
func (r *Results) notesUnder(table string) (out []string) {
	for _, n := range r.notes {
		if slices.Contains(n.tables, table) {
			out = append(out, n.text)
		}
	}
	return out
}

// allNotes are those of all tables of outputs, for the page.
func (r *Results) allNotes() (out []string) {
	for _, n := range r.notes {
		if slices.ContainsFunc(n.tables, func(t string) bool { return t == onPage || slices.Contains(ofModels, t) }) {
			out = append(out, n.text)
		}
	}
	return out
}

func (r *Results) note(tables []string, texts ...string) {
	for _, text := range texts {
		r.notes = append(r.notes, note{text, tables})
	}
}

// noted fills the notes.
func (c *collector) noted() {
	for _, t := range trainedFor {
		if epochs := c.epochs(t.kinds); epochs != "" {
			c.out.note(t.tables, "Epochs run, and steps: "+epochs+".")
		}
		c.out.note(t.tables, TrainedOn(c.plan, c.ws, t.kinds)...)
	}
	if slices.ContainsFunc(c.out.Results, func(r report.ResultRow) bool { return r.System == stages.HumanReferences }) {
		c.out.note(ofSystems, "The row "+stages.HumanReferences+": what people wrote, cut into words and lower-cased as "+
			"the sources are; r-BLEU compares with it as it was written.")
	}
	c.out.note([]string{"content", "intervals"}, c.contentNotes()...)
	c.out.note(ofModels, c.guided()...)
	if c.out.Unscored > 0 {
		c.out.note(ofSystems, fmt.Sprintf("Not scored: %d of the %d published systems and human references; "+
			"their rows are missing.", c.out.Unscored, len(c.plan.Published)))
	}
	if c.out.Missing > 0 {
		c.out.note(ofAnything, fmt.Sprintf("Not finished: %d of %s; their rows are missing.", c.out.Missing,
			wording.Count(len(c.plan.Points), "point")))
	}
	c.out.About.Notes = c.out.allNotes()
}

// guided says what guided outputs are, and by which settings they were made.
func (c *collector) guided() (notes []string) {
	selector := ""
	if slices.ContainsFunc(c.out.Results, func(r report.ResultRow) bool {
		_, judges := r.Metrics.Metrics["tst_fasttext"]
		return judges
	}) {
		selector = " and the fastText-like selector, which has a column in the table of results"
	}
	for _, p := range c.plan.Points {
		guided := func(m *plan.ModelStages) bool { return m.Decoding == recipe.GuidedDecoding }
		if p.Point.DevOnly || !slices.ContainsFunc(p.Models, guided) {
			continue
		}
		note := "Guided outputs: the same weights, masks refilled as [guided] says, which no paper row has (" +
			p.Point.Settings.Guided.String() + "). Nothing that guides or selects measures here but Nat." + selector + "."
		if slices.ContainsFunc(p.Models, func(m *plan.ModelStages) bool {
			return m.Decoding == recipe.GuidedDecoding && m.Model == "smlm-g"
		}) {
			note += " SMLM-G's masks are not filled one by one; of [guided] it knows: " +
				cmp.Or(p.Point.Settings.Searched().String(), "nothing") + "."
		}
		notes = lists.AddOnce(notes, note)
	}
	return notes
}

// epochs tells how long the finished models of some kinds were trained: "classifier 4 (1,208),
// divlstm 3-4 (906-1,208)". The steps tell where a bound on them ended an epoch early.
func (c *collector) epochs(kinds []stage.Kind) string {
	var parts []string
	for _, k := range kinds {
		var epochs, steps []int
		for _, s := range c.plan.Stages {
			if s.Kind != k || !c.done(s) {
				continue
			}
			var r stages.TrainResult
			if c.ws.ReadJSON(s, "result.json", &r) == nil {
				epochs, steps = append(epochs, r.Epochs), append(steps, r.Steps)
			}
		}
		if len(epochs) > 0 {
			parts = append(parts, fmt.Sprintf("%s %s (%s)", k, span(epochs), span(steps)))
		}
	}
	return strings.Join(parts, ", ")
}

// span writes the least and the greatest of some counts, once where they are equal.
func span(n []int) string {
	least, most := table.Thousands(slices.Min(n)), table.Thousands(slices.Max(n))
	if least == most {
		return least
	}
	return least + "-" + most
}
