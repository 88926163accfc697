package stages

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// Tune is the stage that chooses the settings that are "auto". It rewrites dev sentences with the
// trained SMLM under several settings and keeps the best. It sees neither test sentences nor the
// evaluation classifier.
const Tune stage.Name = "tune"

var tuneStage = stage.Definition{
	Name: Tune, Version: 11, Scope: stage.OfMethod,
	Inputs:   "prepare, vocab, attribution, model (smlm), selector (a bag of n-grams), guide, fluency, phrases",
	Settings: func(p stage.Point) any { return tuneSettings(p) }, Reads: tuneReads,
	Shown: tuneShown, Records: tuneRecords,
	Files: "`choice.json`: `tried`, the settings that were tried on dev sentences, and `chosen`, the index of the chosen one",
	Run:   onTorch(of(tune)),
}

// TuneSettings says which settings the stage tries.
type TuneSettings struct {
	Masks      []policy.Policy    `json:"masks"`       // ways to make masks from scores
	StyleCosts []recipe.OrAuto    `json:"style_costs"` // values of guided.style_cost
	Styles     []recipe.OrAuto    `json:"styles"`      // values of guided.style
	Guided     recipe.Guided      `json:"guided"`      // the other settings of guided outputs
	Decoding   recipe.Decoding    `json:"decoding"`    // the decoding of the outputs
	Sentences  int                `json:"sentences"`   // largest number of dev sentences of each direction
	Directions []corpus.Direction `json:"directions"`  // as in TransferSettings
}

// These are the values that the stage tries.
var (
	triedShares     = []float64{0.15, 0.25, 0.35, 0.5}
	triedStyleCosts = []recipe.OrAuto{1, 0}
	triedStyles     = []recipe.OrAuto{2, 1.2, 3, 4.5}
)

const tunedSentences = 200

func tuneSettings(p stage.Point) TuneSettings {
	s := TuneSettings{
		Masks: []policy.Policy{p.Settings.Masking.Needed()}, Styles: []recipe.OrAuto{p.Settings.Guided.Style},
		StyleCosts: []recipe.OrAuto{p.Settings.Guided.StyleCost}, Guided: p.Settings.Guided.Guided,
		Decoding: tunedDecoding(p), Sentences: tunedSentences, Directions: p.Data().Chosen(),
	}
	s.Guided.Style, s.Guided.StyleCost = 0, 0
	if masksAreChosen(p) {
		s.Masks = nil
		for _, share := range triedShares {
			s.Masks = append(s.Masks, policy.Policy{Name: policy.TopShare, TopShare: share})
		}
	}
	if s.Decoding != recipe.GuidedDecoding {
		s.Styles, s.StyleCosts = []recipe.OrAuto{0}, []recipe.OrAuto{0}
		return s
	}
	if p.Settings.Guided.Style == recipe.Chosen {
		s.Styles = triedStyles
	}
	if p.Settings.Guided.StyleCost == recipe.Chosen {
		s.StyleCosts = triedStyleCosts
	}
	return s
}

// masksAreChosen reports whether dev sentences choose how many words are masked.
func masksAreChosen(p stage.Point) bool {
	return p.Method != policy.NoMasking && p.Settings.Masking.Name == policy.Surplus &&
		p.Settings.Masking.LambdaEps == recipe.Chosen
}

// tunedDecoding returns the decoding of the outputs that the stage compares: guided decoding if the
// study has guided outputs, else the study's first decoding.
func tunedDecoding(p stage.Point) recipe.Decoding {
	all := p.Settings.Outputs(string(SMLM))
	if len(all) == 0 || slices.Contains(all, recipe.GuidedDecoding) {
		return recipe.GuidedDecoding
	}
	return all[0]
}

// tuned names the input that has the choice of the stage Tune for the masking method of p. If no
// model is trained on the masks of this method, it is the choice for the first method that has such
// a model.
func tuned(p stage.Point) stage.Inputs {
	if trains := p.Settings.Masking.TrainOn; !slices.Contains(trains, p.Method) && len(trains) > 0 {
		p.Method = trains[0]
	}
	return stage.Inputs{"tune": at(Tune, p)}
}

func tuneReads(p stage.Point) stage.Inputs {
	return trainText(p).And(stage.Inputs{
		"attribution": at(Attribution, p.With("")), "model": at(SMLM, p), "selector": at(FastText, p),
	}).And(guiding(p))
}

// tuneShown returns a stage.Point for each masking method whose models use a setting that is
// "auto".
func tuneShown(p stage.Point) (shown []stage.Point) {
	for _, m := range p.Models() {
		m.Model, m.Decoding = "", ""
		if (masksAreChosen(m) || guidedIsChosen(m)) && !slices.Contains(shown, m) {
			shown = append(shown, m)
		}
	}
	return shown
}

// guidedIsChosen reports whether dev sentences choose settings of guided outputs.
func guidedIsChosen(p stage.Point) bool {
	return p.Settings.Guided.HasAuto() && slices.Contains(p.Settings.SMLM.Decoding, recipe.GuidedDecoding)
}

// Tuning is choice.json.
type Tuning struct {
	Tried  []Trial `json:"tried"`
	Chosen int     `json:"chosen"` // index in Tried
	// Recognised is the share of the sources that the selector assigns to their own style, 0-1.
	Recognised float64 `json:"recognised"`
	// Unknown is the share of the words of the sources that are in no training sentence, 0-1.
	Unknown float64 `json:"unknown"`
}

// Trial describes the dev outputs under one setting.
type Trial struct {
	Mask      policy.Policy `json:"mask"`
	StyleCost recipe.OrAuto `json:"style_cost"` // guided.style_cost
	Style     recipe.OrAuto `json:"style"`      // guided.style

	MaskedShare float64 `json:"masked_share"` // share of the words that are masked, 0-1
	Reached     float64 `json:"reached"`      // share of the outputs in the target style, by the selector, 0-1
	Content     float64 `json:"content"`      // mean content kept, 0-1 (guided.Writer.ContentKept)
	Fluency     float64 `json:"fluency"`      // mean fluency kept, 0-1 (guided.FluencyKept)
	// Score is the mean over sentences of the product p(target style) by the selector x content x
	// fluency. An unchanged sentence counts as 0.
	Score float64 `json:"score"`
	// Good is the share of the outputs that are good, 0-1. A good output differs from its source,
	// reaches the style, keeps the content and has at most one odd trigram. Odd is the share of the
	// outputs that reach the style and have more than one odd trigram.
	Good float64 `json:"good"`
	Odd  float64 `json:"odd"`
	// NewWord is the most frequent new word of one direction, and NewWordShare is its share of the
	// direction's new words, 0-1. The direction is the one with the highest such share.
	NewWord      string  `json:"new_word"`
	NewWordShare float64 `json:"new_word_share"`
}

// ReadTuning reads the choice in a stage's folder.
func ReadTuning(dir string) (t Tuning, err error) { return t, readJSON(dir, "choice.json", &t) }

// Choice returns the chosen setting.
func (t Tuning) Choice() Trial { return t.Tried[t.Chosen] }

// With returns s with the chosen masks if lambda_eps in s is "auto".
func (s MaskSettings) With(chosen Trial) MaskSettings {
	if s.LambdaEps == recipe.Chosen {
		s.Policy = chosen.Mask
	}
	return s
}

// With returns s with the chosen value of each setting that is "auto" in s.
func (s TransferSettings) With(chosen Trial) TransferSettings {
	if s.Guided.Style == recipe.Chosen {
		s.Guided.Style = chosen.Style
	}
	if s.Guided.StyleCost == recipe.Chosen {
		s.Guided.StyleCost = chosen.StyleCost
	}
	return s
}

// chosenBy returns the settings s with the choice in the input "tune". If there is no such input, s
// does not change.
func chosenBy[S interface{ With(Trial) S }](job *stage.Job, s S) (S, error) {
	dir, ok := job.Inputs["tune"]
	if !ok {
		return s, nil
	}
	t, err := ReadTuning(dir)
	if err != nil {
		return s, err
	}
	return s.With(t.Choice()), nil
}

// The constant clearly is the gain in score that justifies masking more words. Guided outputs often
// need few masks, and copied outputs are better with few.
const clearly = 0.01

// tune tries all masks with the first values of the other settings. Then it tries the other values
// of guided.style_cost with the best masks, and the other values of guided.style with both.
func tune(ctx context.Context, job *stage.Job, s TuneSettings) error {
	t, err := newTuner(job, s)
	if err != nil {
		return err
	}
	defer t.model.Free()
	total := len(s.Masks) + len(s.StyleCosts) - 1 + len(s.Styles) - 1
	out := Tuning{Recognised: t.recognised(), Unknown: t.unknown()}
	try := func(setting Trial, by float64) error {
		trial, err := t.try(ctx, setting)
		if err != nil {
			return err
		}
		out.Tried = append(out.Tried, trial)
		if trial.Score > out.Choice().Score+by {
			out.Chosen = len(out.Tried) - 1
		}
		job.Progress(len(out.Tried), total, "")
		return nil
	}
	for _, mask := range s.Masks {
		if err := try(Trial{Mask: mask, StyleCost: s.StyleCosts[0], Style: s.Styles[0]}, clearly); err != nil {
			return err
		}
	}
	best := out.Choice()
	for _, cost := range s.StyleCosts[1:] {
		if err := try(Trial{Mask: best.Mask, StyleCost: cost, Style: best.Style}, 0); err != nil {
			return err
		}
	}
	best = out.Choice()
	for _, style := range s.Styles[1:] {
		if err := try(Trial{Mask: best.Mask, StyleCost: best.StyleCost, Style: style}, 0); err != nil {
			return err
		}
	}
	return writeJSON(job.Dir, "choice.json", out)
}

// tuner rewrites the same dev sentences with several settings.
type tuner struct {
	data     corpus.Encoded
	words    [][]string
	vocab    *corpus.Vocab
	model    *transferModel
	writer   *guided.Writer // measures content and fluency; also writes if the decoding is guided
	selector *classifier.FastText
}

func newTuner(job *stage.Job, s TuneSettings) (*tuner, error) {
	t, err := loadText(job, corpus.Dev)
	if err != nil {
		return nil, err
	}
	dev, err := t.scored(job, corpus.Dev)
	if err != nil {
		return nil, err
	}
	directions := directionsOr(s.Directions, t.Labels)
	dev = dev.ToRewrite(directions)
	words := slices.Concat(sources(t.Dataset, corpus.Dev, directions)...)
	picked := someOfEach(dev, s.Sentences)
	out := &tuner{data: dev.Pick(picked), vocab: t.vocab}
	for _, i := range picked {
		out.words = append(out.words, words[i])
	}
	if out.selector, err = loadFastText(job.Inputs["selector"]); err != nil {
		return nil, err
	}
	how := TransferSettings{Decoding: s.Decoding, Guided: s.Guided}
	if out.model, err = loadTransferModel(job.Inputs, t.vocab, how, false); err != nil {
		return nil, err
	}
	if out.writer = out.model.Writer; out.writer == nil {
		w, err := loadWriter(job.Inputs, t.vocab, how, false)
		if err != nil {
			out.model.Free()
			return nil, err
		}
		out.writer = &w
	}
	return out, nil
}

// someOfEach returns the indices of at most n sentences of each direction, drawn with a fixed seed,
// in their order.
func someOfEach(d corpus.Encoded, n int) (picked []int) {
	rng := rand.New(rand.NewPCG(1, 0))
	seen := map[corpus.Direction]int{}
	for _, i := range rng.Perm(len(d.IDs)) {
		of := corpus.Direction{From: d.Styles[i], To: d.Targets[i]}
		if seen[of]++; seen[of] <= n {
			picked = append(picked, i)
		}
	}
	slices.Sort(picked)
	return picked
}

// The method recognised returns the share of the sources that the selector assigns to their own
// style.
func (t *tuner) recognised() (share float64) {
	for i, style := range t.data.Styles {
		if t.selector.LogOdds(t.data.IDs[i:i+1], style)[0] > 0 {
			share += 1 / float64(len(t.data.IDs))
		}
	}
	return share
}

// The method unknown returns the share of the words that are unknown.
func (t *tuner) unknown() float64 {
	unknown, all := 0, 0
	for _, sentence := range t.words {
		unknown += t.vocab.Unknown(sentence)
		all += len(sentence)
	}
	return float64(unknown) / float64(max(1, all))
}

// keptContent is the lowest content score of a good output (see guided.Writer.ContentKept). This
// score is the square of an F1, here 0.8.
const keptContent = 0.64

// try rewrites the sentences with the setting r and measures the outputs.
func (t *tuner) try(ctx context.Context, r Trial) (Trial, error) {
	d := t.data
	d.Masks = newMasker(MaskSettings{Policy: r.Mask}, 0).masks(d.Scores)
	t.writer.How.Style, t.writer.How.StyleCost = r.Style, r.StyleCost
	out, err := t.model.Words(ctx, t.vocab, d, t.words, 1)
	if err != nil {
		return r, err
	}
	r.MaskedShare = policy.Count(d.Masks).Share()
	n := float64(len(d.IDs))
	for i, ids := range encodeOutputs(t.vocab, out.Words) {
		of := corpus.Direction{From: d.Styles[i], To: d.Targets[i]}
		odds := t.selector.LogOdds([][]int64{ids}, of.To)[0]
		content, odd := t.writer.ContentKept(d.IDs[i], ids, of), t.writer.Odd(d.IDs[i], ids)
		fluency := guided.FluencyKept(odd)
		reached, changed := odds > 0, !slices.Equal(ids, d.IDs[i])
		switch {
		case reached && odd > 1:
			r.Odd += 1 / n
		case reached && changed && content >= keptContent:
			r.Good += 1 / n
		}
		if reached {
			r.Reached += 1 / n
		}
		if changed {
			r.Score += content * fluency / (1 + math.Exp(-odds)) / n
		}
		r.Content += content / n
		r.Fluency += fluency / n
	}
	r.NewWord, r.NewWordShare = mostFrequentNewWord(d, t.words, out.Words)
	return r, nil
}

// mostFrequentNewWord returns the fields NewWord and NewWordShare of a Trial. It leaves out
// directions with few new words.
func mostFrequentNewWord(d corpus.Encoded, sources, outputs [][]string) (word string, share float64) {
	const few = 20
	var order []corpus.Direction
	texts := map[corpus.Direction][2][][]string{}
	for i := range d.IDs {
		of := corpus.Direction{From: d.Styles[i], To: d.Targets[i]}
		order = lists.AddOnce(order, of)
		t := texts[of]
		texts[of] = [2][][]string{append(t[0], sources[i]), append(t[1], outputs[i])}
	}
	for _, of := range order {
		c := metrics.CollapseOf(texts[of][0], texts[of][1])
		if c.NewWords >= few && c.MostFrequentNewWordShare > share {
			word, share = c.MostFrequentNewWord, c.MostFrequentNewWordShare
		}
	}
	return word, share
}

// tuneRecords returns a record for each setting that was tried.
func tuneRecords(f stage.Finished) (all []*report.Record, err error) {
	var t Tuning
	if err := f.Read("choice.json", &t); err != nil {
		return nil, err
	}
	counts, err := ReadCounts(f.Input("prepare"))
	if err != nil {
		return nil, err
	}
	p, s := f.At(), f.Settings().(TuneSettings)
	sentences := 0
	for _, of := range directionsOr(s.Directions, counts.Labels) {
		sentences += min(s.Sentences, counts.Of(corpus.Dev)[of.From])
	}
	for i, trial := range t.Tried {
		style, cost := table.Absent, table.Absent // copied outputs have none
		if trial.Style > 0 {
			style, cost = trial.Style.String(), trial.StyleCost.String()
		}
		chosen := ""
		if i == t.Chosen {
			chosen = "*"
		}
		r := report.NewRecord(report.FromTuning, p.Dataset, p.Seed, append([]report.Axis{
			{Key: "method", Value: string(p.Method)},
			{Key: "tried_mask", Value: trial.Mask.String()},
			{Key: "tried_style_cost", Value: cost},
			{Key: "tried_style", Value: style},
			{Key: "chosen", Value: chosen},
		}, f.Axes()...)...)
		r.Values = metrics.Values{
			"masked_share": trial.MaskedShare, "reached": trial.Reached, "content_kept": trial.Content,
			"fluency_kept": trial.Fluency, "tuning_score": trial.Score, "sentences": float64(sentences),
		}
		all = append(all, r)
	}
	return all, nil
}
