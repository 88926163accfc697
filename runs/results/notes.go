package results

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs/data"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// note is a sentence that is shown under the given tables. If the field "trained" is true, the
// sentence is about training and is shown with the settings.
type note struct {
	text    string
	tables  []string
	trained bool
}

// onPage may stand in the list of tables of a note. Then only the HTML page shows the note.
const onPage = "page"

// Names of tables, chosen by the kind of their rows.
var (
	ofSystems = tablesFrom(report.FromSystems)
	ofModels  = tablesFrom(report.FromSystems, report.FromExamples)
	ofTrained = report.Names(func(s *report.Spec) bool { return s.From != report.FromDatasets })
)

func tablesFrom(kinds ...string) []string {
	return report.Names(func(s *report.Spec) bool { return slices.Contains(kinds, s.From) })
}

// notesUnder sets the notes of a table.
func (r *Results) notesUnder(table string, a *report.About) {
	a.Notes, a.Trained = nil, nil
	for _, n := range r.notes {
		switch {
		case !slices.Contains(n.tables, table):
		case n.trained:
			a.Trained = append(a.Trained, n.text)
		default:
			a.Notes = append(a.Notes, n.text)
		}
	}
}

// allNotes returns the notes that the page shows at its top: the notes with onPage and the notes of
// the table "main".
func (r *Results) allNotes() (out []string) {
	for _, n := range r.notes {
		if slices.Contains(n.tables, onPage) || slices.Contains(n.tables, "main") {
			out = append(out, n.text)
		}
	}
	return out
}

func (r *Results) note(tables []string, texts ...string) {
	for _, text := range texts {
		r.notes = append(r.notes, note{text: text, tables: tables})
	}
}

// trainedNotes adds notes on how models were trained.
func (r *Results) trainedNotes(texts ...string) {
	for _, text := range texts {
		r.notes = append(r.notes, note{text: text, tables: ofTrained, trained: true})
	}
}

// noted adds all notes.
func (c *collector) noted() {
	if epochs := c.epochs(); epochs != "" {
		c.out.trainedNotes("Epochs (and optimizer steps): " + epochs + ".")
	}
	c.out.trainedNotes(trainedOn(c.plan, c.ws)...)
	if commit := commitNote(c.plan, c.ws); commit != "" {
		c.out.trainedNotes(commit)
	}
	if slices.ContainsFunc(c.out.Systems, func(s *System) bool { return s.Kind == report.People }) {
		c.out.note(ofSystems, "References: the rewrites that come with the data set, cut into words and lower-cased as the sources are. "+
			"r-BLEU compares outputs with them as they were written.")
	}
	// If no data set has TST% unseen, About.Missing already says so.
	if without := c.withoutUnseen(); len(without) < len(c.plan.Experiment.Datasets) {
		c.out.note([]string{"main", "results", "seeds"}, without...)
	}
	c.guided()
	c.out.note([]string{"attribution", onPage}, report.Sentences(DegenerateMasks(c.plan, c.ws))...)
	if c.out.Unscored > 0 {
		c.out.note(ofSystems, "Rows are missing: "+c.out.unscored()+".")
	}
	if c.out.Missing > 0 {
		c.out.note(ofTrained, fmt.Sprintf("Rows are missing: %s not finished yet.",
			wording.SomeOfThe(c.out.Missing, len(c.plan.Points), "point")))
	}
	c.out.About.Notes = c.out.allNotes()
}

// partial returns sentences that name the systems with outputs in some directions only.
func (r *Results) partial() (sentences []string) {
	for _, s := range r.Systems {
		if s.Partial {
			of := lists.Map(s.Scores.Directions, func(d metrics.Direction) string { return d.From + " to " + d.To })
			sentences = lists.AddOnce(sentences, fmt.Sprintf("%s has outputs on %s from %s only, and is therefore not ranked.",
				s.System(), s.Dataset(), strings.Join(of, " and from ")))
		}
	}
	return sentences
}

// Lacking returns sentences, without a full stop, on the parts of the experiment that have no rows
// yet: sweep points that have not run, and published systems without a score.
func (r *Results) Lacking() (sentences []string) {
	if r.Missing > 0 {
		sentences = append(sentences, fmt.Sprintf("%s not finished yet; `%s`, with the same options, lists what is missing",
			wording.SomeOfThe(r.Missing, len(r.plan.Points), "point"),
			wording.Command("smlm-exp", "plan", wording.Path(r.plan.Experiment.Path))))
	}
	if r.Unscored > 0 {
		sentences = append(sentences, r.unscored())
	}
	return sentences
}

// The method unscored says how many published systems and references have no score yet.
func (r *Results) unscored() string {
	return fmt.Sprintf("published systems and references that are not scored yet: %d of %d", r.Unscored,
		len(r.plan.Named(stages.Published)))
}

// The method guided adds a note on what guided outputs are.
func (c *collector) guided() {
	if slices.ContainsFunc(c.plan.All(), func(p stage.Point) bool {
		return slices.ContainsFunc(p.Models(), func(m stage.Point) bool { return m.Decoding == recipe.GuidedDecoding })
	}) {
		c.out.note(ofModels, guidedNote)
	}
}

const guidedNote = "Guided outputs come from the same weights as copied ones; a guide, trigrams and phrases of " +
	"the training text help to choose words. The paper has no such rows. No model that guides or selects " +
	"computes a metric that ranks systems, except naturalness."

// epochs describes for how many epochs (and optimizer steps) the finished models were trained:
// "Evaluation classifier 4 (1,208), Diversity-LSTM 3-4 (906-1,208)". The steps reveal whether
// max_steps ended an epoch early.
func (c *collector) epochs() string {
	epochs, steps := map[string][]int{}, map[string][]int{}
	var order, parts []string
	for _, name := range stages.Trained() {
		for _, s := range c.plan.Stages {
			if s.Name != name || !c.done(s) {
				continue
			}
			var r stages.TrainResult
			if c.ws.ReadJSON(s, "result.json", &r) == nil {
				model := report.PartName(string(s.Name))
				order = lists.AddOnce(order, model)
				epochs[model], steps[model] = append(epochs[model], r.Epochs), append(steps[model], r.Steps)
			}
		}
	}
	for _, model := range order {
		parts = append(parts, fmt.Sprintf("%s %s (%s)", model, table.Span(epochs[model]), table.Span(steps[model])))
	}
	return strings.Join(parts, ", ")
}

// weakJudges has warnings about classifiers that are little better than chance on human text: the
// classifiers behind the metrics TST%, TST% unseen and TST% fastText, and the selector, which
// judges dev outputs.
type weakJudges struct{ evaluator, unseen, fastText, selector []string }

// The method of returns the warnings to show under a table. Tables with the metric Mean show the
// warnings about the evaluation classifier, because TST% is part of Mean.
func (w *weakJudges) of(table string) []string {
	switch table {
	case "results", "seeds":
		return slices.Concat(w.evaluator, w.unseen, w.fastText)
	case "main", "intervals", "significance":
		return slices.Concat(w.evaluator, w.unseen)
	case "attribution":
		return w.evaluator
	case "selection":
		return w.selector
	}
	return nil
}

// judges adds a warning for each classifier that measures style but is little better than chance on
// human text. It looks at the accuracy on test sentences. For the selector, which judges dev
// outputs, it looks at the accuracy on dev sentences.
func (c *collector) judges() {
	w := &c.out.weak
	add := func(to *[]string, s, text *plan.Stage, measures string, split corpus.Split, accuracy float64) {
		n, majority := readResult[stages.Counts](c, text, "counts.json").Size(split)
		j := report.Judge{
			Measures: measures, Dataset: s.Points[0].Dataset, Axes: s.Agreed(),
			Split: split.String(), Accuracy: accuracy,
			Sentences: n, Majority: majority,
		}
		if j.Weak() {
			*to = lists.AddOnce(*to, j.Warning())
		}
	}
	for _, s := range c.plan.Named(stages.Accuracy) {
		model := s.Inputs["model"]
		if !c.done(s) {
			continue
		}
		switch model.Name {
		case stages.Classifier:
			add(&w.evaluator, model, s.Inputs["test"], "TST% (and Mean, Acc.%)", corpus.Test, c.testAccuracy(s))
		case stages.UnseenCNN:
			add(&w.unseen, model, s.Inputs["test"], "TST% unseen", corpus.Test, c.testAccuracy(s))
		case stages.FastText:
			add(&w.fastText, model, s.Inputs["test"], "TST% fastText", corpus.Test, c.testAccuracy(s))
		}
	}
	var selectors []*plan.Stage
	for _, s := range c.plan.Named(stages.Score) {
		selectors = lists.AddOnce(selectors, s.Inputs["selector"])
	}
	for _, selector := range selectors {
		if c.done(selector) {
			r := readResult[stages.TrainResult](c, selector, "result.json")
			add(&w.selector, selector, selector.Inputs["prepare"], "TST% (and Mean)", corpus.Dev, r.DevAccuracy)
		}
	}
}

// OffStyle returns a warning if the attention of a finished Diversity-LSTM is not on style words,
// even after the last restart. Otherwise it returns "". It looks only at models whose attention
// makes masks. If a verdict was printed, which is about guided outputs, the warning is short, and
// only a study that also shows masks or other outputs gets it.
func OffStyle(p *plan.Plan, ws *workspace.Workspace, verdict bool) string {
	first, off, all := "", 0, 0
	for _, s := range p.Named(stages.DivLSTM) {
		if !s.Any(func(q stage.Point) bool { return !q.Method.ByGradients() }) {
			continue
		}
		var r stages.TrainResult
		if !ws.Done(s) || ws.ReadJSON(s, "result.json", &r) != nil {
			continue
		}
		if all++; r.Attention == nil || r.Attention.Healthy() {
			continue
		}
		if off++; off == 1 {
			first = s.Title()
		}
	}
	if off == 0 || verdict && !showsMasks(p) {
		return ""
	}
	warning := fmt.Sprintf("attention is not on style words in %d of %s of a Diversity-LSTM, the first %s, so their masks, ",
		off, wording.Count(all, "training"), first)
	if verdict {
		return warning + "and outputs that are not guided, mean little; the table divlstm has the details"
	}
	return warning + "and everything trained on them, mean little: give more sentences, more divlstm.epochs or " +
		"restarts, another divlstm.lambda_con, or mask by " +
		`gradients (masking.methods and masking.train_on = ["integrated_gradients"]); the table divlstm has the details`
}

// showsMasks reports whether a study's tables depend on masks: they compare masks, or have outputs
// that are not guided.
func showsMasks(p *plan.Plan) bool {
	plain := func(m stage.Point) bool { return m.Decoding != recipe.GuidedDecoding }
	return slices.Contains(p.Experiment.Report.Tables, "attribution") ||
		slices.ContainsFunc(p.All(), func(q stage.Point) bool { return slices.ContainsFunc(q.Models(), plain) })
}

// DegenerateMasks reports what is wrong with a plan's finished masks of test sentences. It checks
// the masks that models are trained on or, without models, all masks.
func DegenerateMasks(p *plan.Plan, ws *workspace.Workspace) []string {
	var all []report.Masking
	for _, s := range p.Named(stages.MaskScore) {
		q := s.Points[0]
		used := s.Any(func(p stage.Point) bool {
			models := p.Models()
			isTrained := func(m stage.Point) bool { return m.Method == p.Method }
			return len(models) == 0 || slices.ContainsFunc(models, isTrained)
		})
		var r stages.MaskScores
		if !used || q.Method == policy.NoMasking || !ws.Done(s) || ws.ReadJSON(s, "result.json", &r) != nil {
			continue
		}
		name := append([]string{q.Dataset, string(q.Method)}, recipe.AxisWords(s.Agreed())...)
		var test stages.Counts
		if ws.ReadJSON(s.Inputs["test"], "counts.json", &test) != nil {
			continue
		}
		n, majority := test.Size(corpus.Test)
		masking := report.Masking{
			Name: strings.Join(append(name, fmt.Sprint("seed ", q.Seed)), ", "), Method: q.Method,
			Policy:    s.Inputs["mask"].Settings.(stages.MaskSettings).Policy,
			Sentences: n, NoneMasked: r.Test.NoneMasked, AllMasked: r.Test.AllMasked,
			MaskedShare: r.Test.MaskedShare, Accuracy: r.Test.Accuracy,
		}
		var unmasked stages.AccuracyResult
		q.Method, q.Model = "", string(stages.Classifier)
		accuracy := p.Get(stages.Accuracy, q)
		if accuracy != nil && ws.Done(accuracy) && ws.ReadJSON(accuracy, "result.json", &unmasked) == nil {
			masking.Unmasked = &report.Judge{Accuracy: unmasked.TestAcc, Sentences: n, Majority: majority}
		}
		all = append(all, masking)
	}
	return report.DegenerateMasks(all)
}

// unseenFrom describes where an unseen text comes from.
var unseenFrom = map[data.UnseenFrom]string{
	data.UnseenGenerated: "come from the same grammar",
	data.UnseenExtra:     "come from train_extra.{0,1}.txt",
	data.UnseenLeft:      "are those that max_train leaves out",
	data.UnseenShare:     "were set aside from the training text",
	data.UnseenFolder:    "come from another corpus",
}

// The method about fills the field About of the results, including the notes under the tables.
func (c *collector) about() {
	e, a := c.plan.Experiment, &c.out.About
	for _, set := range e.Datasets {
		d := c.plan.Sets[set.Name]
		line := fmt.Sprintf("%s: %straining and %stest sentences (%s)", d.Name, c.sizes(d.Name, stages.Prepare, corpus.Train),
			c.sizes(d.Name, stages.TestSet, corpus.Test), strings.Join(d.Labels, " + "))
		switch {
		case set.TrainExtra && set.MaxTrain > 0:
			line += "; the training sentences are a sample of train.{0,1}.txt and train_extra.{0,1}.txt"
		case set.TrainExtra:
			line += "; the training sentences include train_extra.{0,1}.txt"
		case set.MaxTrain > 0:
			line += "; the training sentences are a sample of the file"
		}
		if u := d.Unseen; u != nil {
			line += fmt.Sprintf("; %sunseen sentences %s", c.sizes(d.Name, stages.Unseen, corpus.Train, corpus.Dev),
				unseenFrom[u.From])
		}
		a.Data = append(a.Data, line)
	}
	a.Missing = c.missing()
	a.Seeds, a.Profile, a.Overrides = slices.Clone(e.Seeds), e.Profile, e.Overrides(c.plan.Points)
	a.Signatures = signatures(records(c.out.Systems), c.out.datasetsShown())
	c.out.trained = trainedSignatures()
	c.noted()
}

// sizes returns the number of sentences that a stage wrote for a data set, one number per style:
// "1,000 + 900 ". The numbers are sums over the given splits. If the stage is not finished, sizes
// returns "".
func (c *collector) sizes(dataset string, name stage.Name, splits ...corpus.Split) string {
	for _, s := range c.plan.Named(name) {
		if s.Points[0].Dataset != dataset || !c.done(s) {
			continue
		}
		counts := readResult[stages.Counts](c, s, "counts.json")
		sizes := make([]int, len(counts.Labels))
		for _, split := range splits {
			for style, n := range counts.Of(split) {
				sizes[style] += n
			}
		}
		return strings.Join(lists.Map(sizes, table.Thousands), " + ") + " "
	}
	return ""
}

// The method missing returns a sentence for each metric that no row may have. The sentence says how
// to get the metric. The keys of the map are the metrics.
func (c *collector) missing() map[string]string {
	m := map[string]string{}
	settings := func(off func(experiment.MetricsSettings) bool) bool {
		return slices.ContainsFunc(c.plan.Points, func(p experiment.Point) bool { return off(p.Settings.Metrics) })
	}
	switch {
	case c.plan.Experiment.WordNet == experiment.NoWordNet:
		m["meteor"] = "METEOR is left out: the key wordnet is \"none\"."
	case c.plan.WordNet.Dir == "":
		m["meteor"] = "METEOR is left out: WordNet is not on this machine. Install it (Debian: wordnet-base) or name its " +
			"folder with the key wordnet, then run again."
	default:
		m["meteor"] = "METEOR is not computed yet. Run the experiment."
	}
	for _, key := range []string{"embedding_average", "vector_extrema", "greedy_matching"} {
		m[key] = "The embedding metrics are missing: run the experiment, which computes them or says what is wrong with the " +
			"key vectors."
		named := func(d *experiment.Dataset) bool { return d.Vectors != "" }
		if !slices.ContainsFunc(c.plan.Experiment.Datasets, named) {
			m[key] = "The embedding metrics are left out: name a file of word vectors with the key vectors."
		}
	}
	if settings(func(s experiment.MetricsSettings) bool { return s.Encoder != "" }) {
		m["s_bertscore"] = "BERTScore and the cosines of sentence embeddings are missing: run the experiment, which " +
			"computes them or says what is wrong with metrics.encoder."
		m["s_cosine"] = m["s_bertscore"]
	}
	m["tst_unseen"] = strings.Join(c.withoutUnseen(), " ")
	if settings(func(s experiment.MetricsSettings) bool { return !s.Perplexity }) {
		m["perplexity"] = "Perplexity is left out: set metrics.perplexity = true."
	}
	return m
}

// withoutUnseen returns a sentence for each data set that has no TST% unseen. The sentence says
// why.
func (c *collector) withoutUnseen() (sentences []string) {
	for _, set := range c.plan.Experiment.Datasets {
		switch {
		case c.plan.Sets[set.Name].Unseen != nil:
		case set.Unseen == experiment.UnseenNone:
			sentences = append(sentences, fmt.Sprintf("TST%% unseen of %s is left out: datasets.%s.unseen is \"none\".", set.Name,
				set.Name))
		default:
			sentences = append(sentences, fmt.Sprintf("TST%% unseen of %s is left out: it needs %d sentences of each style "+
				"that only a judge reads. Name such a text with datasets.%s.unseen.", set.Name, data.LeastUnseen, set.Name))
		}
	}
	return sentences
}

// aboutOf returns the notes and signatures of one table.
func (r *Results) aboutOf(table string) report.About {
	a := r.About
	r.notesUnder(table, &a)
	a.Notes = append(a.Notes, r.weak.of(table)...)
	switch table {
	case "selection":
		dev := lists.Filter(r.Records, func(s *report.Record) bool { return s.From == report.FromSelection })
		a.Missing, a.Signatures = nil, signatures(dev, r.datasetsShown())
	case "classifier", "divlstm", "attribution":
		a.Signatures = r.trained[table]
	case "examples":
		a.Signatures, a.Legend = nil, r.exampleRules
	case "datasets":
		a.Signatures = nil
	}
	return a
}

// signatures merges the signatures of all rows, by metric. If a metric has different signatures,
// the result lists them by data set. Even one data set can have several signatures of a metric,
// because a sweep may change the models that measure.
func signatures(records []*report.Record, datasets []string) map[string]string {
	type family struct{ metric, dataset string }
	of := map[family][]string{}
	different := map[string][]string{} // metric -> its different signatures
	for _, r := range records {
		for metric, s := range r.Scores.Signatures {
			f := family{metric, r.Dataset()}
			of[f], different[metric] = lists.AddOnce(of[f], s), lists.AddOnce(different[metric], s)
		}
	}
	out := map[string]string{}
	for metric, all := range different {
		if len(all) == 1 || len(datasets) == 1 {
			slices.Sort(all)
			out[metric] = strings.Join(all, " or ")
			continue
		}
		var parts []string
		for _, dataset := range datasets {
			if s := of[family{metric, dataset}]; len(s) > 0 {
				slices.Sort(s)
				parts = append(parts, dataset+": "+strings.Join(s, " or "))
			}
		}
		out[metric] = strings.Join(parts, "; ")
	}
	return out
}
