package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// point adds the stages of one point. The evaluation classifier and the trained naturalness have
// the experiment's first seed, so that the same instruments measure all rows of a data set.
func (b *builder) point(set *experiment.Dataset, p experiment.Point) *PointStages {
	s, data, seed := &p.Settings, b.plan.Data[p.Dataset], b.plan.Experiment.Seeds[0]
	u := use{point: &p}
	out := &PointStages{Point: p, accuracies: map[*Stage]*Stage{}}
	out.Prepare = b.stage(stages.Prepare, data.prepare(set), nil, u)
	out.Prepare.Sources = dataSources(set)
	out.TestSet = b.stage(stages.TestSet, data.testSet(set), nil, u)
	out.TestSet.Sources = dataSources(set)
	out.Vocab = b.stage(stages.Vocab, stages.VocabSettings{VocabSettings: s.Vocab}, inputs{"prepare": out.Prepare}, u)
	out.Classifier = b.stage(stages.Classifier, stages.NewClassifier(s, seed), out.reading(nil), u)
	b.accuracy(out, out.Classifier, u)
	if slices.Contains(s.Classifier.Models, "fasttext") {
		out.FastText = b.fastText(out)
		b.accuracy(out, out.FastText, u)
	}
	out.instruments = func() inputs { return b.instruments(set, out, seed, u) }
	for _, method := range s.Masking.Methods {
		out.Masks = append(out.Masks, b.mask(out, method, use{point: &p, method: method}))
	}
	if len(s.SMLM.Models) > 0 || showsSystems(&b.plan.Experiment.Report) {
		out.Instruments() // before the models, so that errors in an instrument are found before long training runs
		out.Vectors = b.vectors(set, out, seed, u)
	}
	for _, m := range out.Masks {
		b.models(out, m)
	}
	return out
}

// models adds the models that are trained on a method's masks.
func (b *builder) models(out *PointStages, m *MaskStages) {
	s := &out.Point.Settings
	if slices.Contains(s.Masking.TrainOn, m.Method) {
		mu := use{point: &out.Point}
		if len(s.Masking.TrainOn) > 1 {
			mu.method = m.Method
		}
		for _, model := range s.SMLM.Models {
			train := b.train(out, model, m, mu)
			for _, decoding := range s.Outputs(model) {
				out.Models = append(out.Models, b.model(out, model, train, m, decoding, mu))
			}
		}
	}
}

// fastText adds the bag of n-grams. It has the experiment's first seed.
func (b *builder) fastText(ps *PointStages) *Stage {
	settings := stages.FastTextSettings{
		Seed: b.plan.Experiment.Seeds[0], FastTextSettings: ps.Point.Settings.FastText,
	}
	return b.stage(stages.FastText, settings, ps.reading(nil), use{point: &ps.Point})
}

// accuracy adds the measurement of a classifier's accuracy on the test sentences.
func (b *builder) accuracy(ps *PointStages, model *Stage, u use) {
	u.model = string(model.Name)
	ps.accuracies[model] = b.stage(stages.Accuracy, stages.AccuracySettings{}, ps.testing(inputs{"model": model}), u)
}

type inputs = map[string]*Stage

// mask adds the stages of one masking method. vanilla_attention and attention_x_input need a
// Diversity-LSTM that is trained without the diversity term. Random masking and no masking use the
// scores of explainable attention at the same point.
func (b *builder) mask(ps *PointStages, method policy.Method, u use) *MaskStages {
	s, seed := &ps.Point.Settings, ps.Point.Seed
	div := s.DivLSTM
	if method.Plain() {
		div.LambdaCon = 0
	}
	if div.LambdaCon == 0 { // without weight, the form of the term does not matter
		div.ConicityForm = recipe.AbsForm
	}
	shared := use{point: u.point} // by several methods, so it has no method in its label
	out := &MaskStages{Method: method, LambdaCon: div.LambdaCon}
	in := ps.reading(nil)
	if div.Restarts > 0 {
		in["selector"] = b.fastText(ps)
	}
	divUse := use{point: u.point, lambdaCon: &div.LambdaCon}
	out.DivLSTM = b.stage(stages.DivLSTM, stages.DivLSTMSettings{Seed: seed, DivLSTMSettings: div}, in, divUse)
	b.accuracy(ps, out.DivLSTM, divUse)
	attribution := stages.NewAttribution(&s.Masking, method)
	shared.method = attribution.Method
	out.Attribution = b.stage(stages.Attribution, attribution, ps.reading(inputs{"divlstm": out.DivLSTM}), shared)
	out.Mask = b.stage(stages.Mask, stages.NewMask(s, method, seed), inputs{"attribution": out.Attribution}, u)
	shared.split = corpus.Test.String()
	out.TestAttribution = b.stage(
		stages.Attribution, attribution.OfTest(), ps.testing(inputs{"divlstm": out.DivLSTM}), shared,
	)
	testUse := u
	testUse.split = shared.split
	out.TestMask = b.stage(
		stages.Mask, stages.NewMask(s, method, seed), inputs{"attribution": out.TestAttribution}, testUse,
	)
	out.Score = b.stage(stages.MaskScore, stages.MaskScoreSettings{}, ps.reading(inputs{
		"mask": out.Mask, "test": ps.TestSet, "test-mask": out.TestMask, "classifier": ps.Classifier,
	}), u)
	return out
}

// train adds the training of a transfer model.
func (b *builder) train(ps *PointStages, model string, m *MaskStages, u use) *Stage {
	s, seed := &ps.Point.Settings, ps.Point.Seed
	in := ps.reading(inputs{"mask": m.Mask})
	start := maps.Clone(in)
	if from := s.SMLM.PretrainedStart; from.Pretrained != "" {
		start["encoder"] = b.encoder("smlm.pretrained", from.Pretrained, from.PretrainedLayers, use{point: u.point})
	}
	switch model {
	case "smlm":
		return b.stage(stages.SMLM, stages.NewSMLM(s, seed), start, u)
	case "smlm-g":
		return b.stage(stages.SMLMG, stages.NewSMLMG(s, seed), start, u)
	case "smlm-ft":
		in["smlm"] = b.stage(stages.SMLM, stages.NewSMLM(s, seed), start, u)
		return b.stage(stages.SMLMFT, stages.NewSMLMFT(s, seed, b.plan.Data[ps.Point.Dataset].chosen()), in, u)
	}
	panic("plan: there is no training of the transfer model " + model)
}

// model adds a trained model's outputs and their score.
func (b *builder) model(
	ps *PointStages, model string, train *Stage, m *MaskStages, decoding recipe.Decoding, u use,
) *ModelStages {
	s := &ps.Point.Settings
	out := &ModelStages{Model: model, Method: m.Method, Decoding: decoding, Train: train}
	u.model, u.decoding = model, string(decoding)
	in := inputs{"model": train}
	settings := stages.NewTransfer(s, train.Name, decoding)
	data := b.plan.Data[ps.Point.Dataset]
	settings.Directions = data.chosen()
	if decoding == recipe.GuidedDecoding {
		in["guide"], in["fluency"] = b.guide(ps, u), b.fluency(ps, u)
		in["phrases"] = b.stage(stages.Phrases, stages.PhrasesSettings{}, ps.reading(nil), u)
		if len(data.ratings) > 0 {
			in["rater"] = b.rater(ps, train, u)
		}
	}
	test := ps.testing(in)
	test["test-mask"] = m.TestMask
	out.Transfer = b.stage(stages.Transfer, settings, test, u)
	out.Score = b.score(ps, out.Transfer, u)
	if slices.Contains(b.plan.Experiment.Report.Tables, "selection") {
		settings.Dev, u.split = true, corpus.Dev.String()
		dev := ps.reading(in)
		dev["mask"] = m.Mask
		out.Dev = b.selection(ps, b.stage(stages.Transfer, settings, dev, u), u)
	}
	return out
}

// rater adds a model that learns from rated outputs which outputs readers prefer.
func (b *builder) rater(ps *PointStages, of *Stage, u use) *Stage {
	ratings := b.plan.Data[ps.Point.Dataset].ratings
	settings := stages.RaterSettings{Seed: ps.Point.Seed, RaterSettings: ps.Point.Settings.Rater}
	sources := map[string]string{}
	for k, file := range ratings {
		settings.Ratings = append(settings.Ratings, file.hash)
		sources[strconv.Itoa(k+1)] = file.path
	}
	r := b.stage(stages.Rater, settings, ps.reading(inputs{"smlm": of}), u)
	r.Sources = sources
	return r
}

// guide adds the guide.
func (b *builder) guide(ps *PointStages, u use) *Stage {
	settings := stages.GuideSettings{Seed: ps.Point.Seed, GuideSettings: ps.Point.Settings.Guide}
	return b.stage(stages.Guide, settings, ps.reading(nil), u)
}

// fluency adds the n-gram language model.
func (b *builder) fluency(ps *PointStages, u use) *Stage {
	return b.stage(stages.Fluency, stages.FluencySettings{}, ps.reading(nil), u)
}

// selection adds the score of dev outputs. The selector measures style; it is a classifier of
// another kind than the evaluation classifier and the guide. The n-gram model takes the place of
// the language model that evaluates test outputs.
func (b *builder) selection(ps *PointStages, transfer *Stage, u use) *Stage {
	in := ps.reading(inputs{"transfer": transfer, "selector": b.fastText(ps), "fluency": b.fluency(ps, u)})
	for name, stage := range ps.Instruments() {
		if strings.HasPrefix(name, "naturalness") {
			in[name] = stage
		}
	}
	return b.stage(stages.Score, stages.NewScore(true, b.plan.Data[ps.Point.Dataset].Ordered), in, u)
}

// SystemNames are the names of the transfer models in tables.
var SystemNames = map[string]string{"smlm": "SMLM", "smlm-g": "SMLM-G", "smlm-ft": "SMLM-FT"}

// SystemOf names a transfer model with a decoding: "SMLM-G (copied)".
func SystemOf(model string, decoding recipe.Decoding) string {
	return SystemNames[model] + " (" + string(decoding) + ")"
}

// instruments adds what measures outputs, and returns it as the inputs of a score. It is called
// only if something is scored: an experiment that only masks trains no language model.
func (b *builder) instruments(set *experiment.Dataset, ps *PointStages, seed uint64, u use) inputs {
	s := &ps.Point.Settings
	in := ps.testing(inputs{"classifier": ps.Classifier})
	b.addNaturalness(in, set, ps.Prepare, seed, u)
	for _, judge := range s.Metrics.Judges {
		in[judge] = b.fastText(ps)
		b.accuracy(ps, in[judge], u)
	}
	b.unseenJudge(in, set, ps, seed, u)
	in["style-words"] = b.stage(stages.StyleWords, stages.NewStyleWords(), ps.reading(nil), u)
	if s.Metrics.Perplexity {
		in["lm"] = b.stage(stages.LM, stages.LMSettings{Seed: seed, LMSettings: s.LM}, ps.reading(nil), u)
	}
	return in
}

// addNaturalness adds the judges of naturalness to the inputs of a score.
func (b *builder) addNaturalness(in inputs, set *experiment.Dataset, prepare *Stage, seed uint64, u use) {
	for i, n := range b.naturalness(set, b.plan.Data[set.Name], prepare, seed, u) {
		name := "naturalness"
		if i > 0 {
			name = fmt.Sprintf("naturalness.%d", i+1)
		}
		in[name] = n
	}
}

// naturalness adds the judges of naturalness: the given files, or a trained one.
func (b *builder) naturalness(set *experiment.Dataset, data *Data, prepare *Stage, seed uint64, u use) []*Stage {
	if len(set.Naturalness) == 0 {
		settings := stages.NaturalnessSettings{Seed: seed}
		return []*Stage{b.stage(stages.Naturalness, settings, inputs{"prepare": prepare}, u)}
	}
	var out []*Stage
	for i, path := range set.Naturalness {
		n := b.stage(
			stages.Naturalness, stages.NaturalnessSettings{File: filepath.Base(path), Hash: data.Weights[i]}, nil, u,
		)
		n.Sources = map[string]string{"file": path}
		out = append(out, n)
	}
	return out
}

// vectors adds word vectors: from the given file, those for the words of the data set and of
// published systems; without a file, trained ones. It returns nil if the file is missing on this
// machine.
func (b *builder) vectors(set *experiment.Dataset, ps *PointStages, seed uint64, u use, systems ...System) *Stage {
	data := b.plan.Data[set.Name]
	if set.Vectors == "" {
		return b.stage(stages.Vectors, stages.VectorsSettings{Seed: seed}, inputs{"prepare": ps.Prepare}, u)
	}
	if data.Vectors == "" {
		return nil
	}
	settings := stages.VectorsSettings{
		File: filepath.Base(set.Vectors), Hash: data.Vectors, Words: data.hashTexts(systems...),
	}
	v := b.stage(stages.Vectors, settings, inputs{"prepare": ps.Prepare, "test": ps.TestSet}, u)
	v.Sources = map[string]string{"file": set.Vectors}
	for i, sys := range systems {
		for k, file := range sys.Files {
			if file == "" {
				continue
			}
			v.Sources[fmt.Sprintf("%d.%d", k, i)] = file
		}
	}
	return v
}

// score adds the score of a transfer.
func (b *builder) score(ps *PointStages, transfer *Stage, u use) *Stage {
	in := maps.Clone(ps.Instruments())
	in["transfer"] = transfer
	s := b.stage(stages.Score, b.scoreStage(ps), in, u)
	b.readsFiles(s, ps)
	b.content(s, ps, ps.Vectors, contentOf{inputs: inputs{"transfer": transfer}}, u)
	return s
}

// scoreStage returns the settings of a score of test outputs, with the sets of references.
func (b *builder) scoreStage(ps *PointStages) stages.ScoreSettings {
	data, sets := b.plan.Data[ps.Point.Dataset], []string(nil)
	for _, set := range data.References {
		sets = append(sets, set.Hashes...)
	}
	return stages.NewScore(false, data.Ordered, sets...)
}

// readsFiles adds the files of further sets of references to a score's Sources.
func (b *builder) readsFiles(s *Stage, ps *PointStages) {
	if s.Sources == nil {
		s.Sources = map[string]string{}
	}
	maps.Copy(s.Sources, b.referenceFiles(ps))
}

// referenceFiles are the files of further sets of references, by source.
func (b *builder) referenceFiles(ps *PointStages) map[string]string {
	all := map[string]string{}
	for k, set := range b.plan.Data[ps.Point.Dataset].References {
		for direction, file := range set.Files {
			if file != "" {
				all[stages.ReferenceSource(k, direction)] = file
			}
		}
	}
	return all
}

// systemTables are the tables with transfer results. Published systems are scored only if one of
// them, or the figure of the trade-off, is wanted.
var systemTables = []string{
	"main", "results", "directions", "matrix", "seeds", "content", "bleu", "intervals", "significance",
}

func showsSystems(r *experiment.ReportSettings) bool {
	return slices.Contains(r.Figures, "tradeoff") || slices.ContainsFunc(
		r.Tables, func(t string) bool { return slices.Contains(systemTables, t) },
	)
}

// published adds a row for each published system of the data set and one for its human references.
// Its instruments do not depend on other systems, so experiments share its stages.
func (b *builder) published(set *experiment.Dataset) {
	if !showsSystems(&b.plan.Experiment.Report) {
		return
	}
	data := b.plan.Data[set.Name]
	seen := map[*Stage]bool{}
	add := func(ps *PointStages, system System, outputs stages.Outputs, files map[string]string) {
		outputs.System = system.Name
		u, vectors := use{point: &ps.Point, system: system.Name}, ps.Vectors
		settings := stages.PublishedSettings{Outputs: outputs, ScoreSettings: stages.NewScore(false, data.Ordered)}
		if !outputs.References { // references are not compared with themselves
			settings.ScoreSettings = b.scoreStage(ps)
		}
		s := b.stage(stages.Published, settings, ps.Instruments(), u)
		if s.Sources = maps.Clone(files); !outputs.References {
			b.readsFiles(s, ps)
		}
		of := contentOf{Outputs: outputs, files: files}
		if outputs.References {
			of.inputs = inputs{"vocab": ps.Vocab} // needed to tokenise the references
		} else if vectors != nil && set.Vectors != "" { // the system may use words that the data set does not have
			vectors = b.vectors(set, ps, 0, u, system)
		}
		b.content(s, ps, vectors, of, u)
		if !seen[s] {
			seen[s] = true
			b.plan.Published = append(b.plan.Published, PublishedRow{set.Name, system.Name, s})
		}
	}
	for _, ps := range b.plan.Points {
		if ps.Point.Dataset != set.Name {
			continue
		}
		for _, sys := range data.Systems {
			add(ps, sys, stages.Outputs{Hashes: byDirection(sys.Hashes)}, byDirection(sys.Files))
		}
		if data.HasRefs {
			people := stages.Outputs{References: true, Directions: data.chosen()}
			add(ps, System{Name: stages.HumanReferences}, people, nil)
		}
	}
}

// Content lists the stages that add METEOR, the embedding metrics and BERTScore to a score. If this
// machine lacks the data for a stage, such as WordNet, the stage is not part of the plan and has no
// identity, but it has a key (OfSame).
func (s *Stage) Content() []*Stage { return s.content }

// contentOf describes outputs: those of a transfer, which is an input, or those in files.
type contentOf struct {
	inputs
	stages.Outputs
	files map[string]string
}

// content adds the stages that Content lists for one score.
func (b *builder) content(score *Stage, ps *PointStages, vectors *Stage, of contentOf, u use) {
	in, m := inputs{"test": ps.TestSet}, &ps.Point.Settings.Metrics
	maps.Copy(in, of.inputs)
	add := func(name stage.Name, settings any, in inputs, has bool, sources map[string]string) {
		s := &Stage{Name: name, Settings: settings, Inputs: in}
		if has {
			s = b.stage(name, settings, in, u)
			s.Sources = sources
		}
		if !slices.ContainsFunc(score.content, func(o *Stage) bool { return o.Name == name && o.ID == s.ID }) {
			score.content = append(score.content, s)
		}
	}
	if b.plan.Experiment.WordNet != experiment.NoWordNet {
		sources, wordNet := map[string]string{"wordnet": b.plan.WordNet.Dir}, b.plan.WordNet.Version
		maps.Copy(sources, of.files)
		add(stages.METEOR, stages.METEORSettings{WordNet: wordNet, Outputs: of.Outputs}, in,
			b.plan.WordNet.Dir != "", sources)
	}
	with := maps.Clone(in)
	if vectors != nil {
		with["vectors"] = vectors
	}
	add(stages.Embedding, stages.EmbeddingSettings{Outputs: of.Outputs}, with, vectors != nil, of.files)
	if m.Encoder != "" {
		settings, encoder := b.bertScore(ps, of, u)
		with, sources := maps.Clone(in), map[string]string{}
		maps.Copy(sources, of.files)
		if encoder != nil {
			with["encoder"] = encoder
		}
		if !of.References {
			maps.Copy(sources, b.referenceFiles(ps))
		}
		add(stages.BERTScore, settings, with, encoder != nil, sources)
	}
}

// OfSame returns a key of the outputs that a stage of Content scores: its inputs and settings
// without WordNet, word vectors and encoder. So stages that differ only in these have the same key.
func (s *Stage) OfSame() (string, error) {
	text, err := s.SettingsJSON()
	if err != nil {
		return "", err
	}
	ids := map[string]string{}
	for name, in := range s.Inputs {
		ids[name] = in.ID
	}
	return OfSame(text, ids)
}

// OfSame is Stage.OfSame for the settings and the identities of the inputs in a stage.json.
func OfSame(settings []byte, inputs map[string]string) (string, error) {
	values, inputs := map[string]any{}, maps.Clone(inputs)
	if err := json.Unmarshal(settings, &values); err != nil {
		return "", err
	}
	for _, key := range []string{"wordnet", "layer", "label"} {
		delete(values, key)
	}
	for _, name := range []string{"vectors", "encoder", "bertscore", "classifier"} {
		delete(inputs, name)
	}
	text, err := Canonical(map[string]any{"settings": values, "inputs": inputs})
	return string(text), err
}

// lacks records the first missing thing.
func (b *builder) lacks(err error) {
	if b.plan.Lacks == nil {
		b.plan.Lacks = err
	}
}
