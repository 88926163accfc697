package stages

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/lm/ngram"
	"github.com/smlm-exp/smlm-exp/smlm"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// guidedRun has the settings of the Python class "How" in testdata/parity/guided.py.
type guidedRun struct {
	recipe.Guided
	keepUnknown bool
	most        int
}

// guidedRuns returns the same settings as RUNS in testdata/parity/guided.py.
func guidedRuns() map[string]guidedRun {
	with := func(change func(r *guidedRun)) guidedRun {
		r := guidedRun{most: 1, Guided: recipe.Guided{Style: 1.2, Fluency: 1, StyleCost: 1}}
		change(&r)
		return r
	}
	return map[string]guidedRun{
		"defaults":     with(func(*guidedRun) {}),
		"candidates":   with(func(r *guidedRun) { r.most = 5 }),
		"style_6":      with(func(r *guidedRun) { r.Style = 6 }),
		"keep_unknown": with(func(r *guidedRun) { r.Style, r.Fluency, r.keepUnknown = 6, 0, true }),
		"fluency_0":    with(func(r *guidedRun) { r.Style, r.Fluency = 6, 0 }),
		"style_cost_0": with(func(r *guidedRun) { r.StyleCost = 0 }),
	}
}

// recordedSentences returns the sentences to rewrite.
func recordedSentences(r *testkit.Recorded) corpus.Encoded {
	d := corpus.Encoded{Styles: r.Styles()}
	masks, kept := r.Rows("input.mask"), r.Rows("input.kept")
	on := func(x int64) bool { return x == 1 }
	for i, row := range r.Rows("input.ids") {
		n := slices.Index(append(row, 0), 0)
		d.IDs, d.Targets = append(d.IDs, row[:n]), append(d.Targets, 1-d.Styles[i])
		d.Masks, d.Kept = append(d.Masks, lists.Map(masks[i][:n], on)), append(d.Kept, lists.Map(kept[i][:n], on))
	}
	return d
}

// recordedText returns the training text.
func recordedText(r *testkit.Recorded) (d corpus.Encoded) {
	for ids := r.Rows("input.text")[0]; len(ids) > 0; {
		n := slices.Index(ids, 0)
		d.IDs, d.Styles = append(d.IDs, ids[:n]), append(d.Styles, len(d.IDs)%2)
		ids = ids[n+1:]
	}
	return d
}

// TestGuidedParity compares guided decoding with recorded results of PyTorch
// (testdata/parity/guided.py), which rewrites one sentence at a time. It compares the phrases found
// in the training text, the scores of each model, and the outputs. The recorded choices are clear
// enough that rounding cannot change them.
func TestGuidedParity(t *testing.T) {
	of, ofGuide := testkit.OpenRecorded(t, "guided"), testkit.OpenRecorded(t, "guided_cnn")
	d, text := recordedSentences(of), recordedText(of)
	punctuation := lists.Map(of.Rows("input.punctuation")[0], func(x int64) bool { return x == 1 })
	vocab := len(punctuation)
	phrases := guided.FindPhrases(text, 2, punctuation)
	comparePhrases(of, phrases, vocab)
	trigrams := ngram.Train(text.IDs, vocab)
	alone := []float64{trigrams.UnigramLogProb(corpus.UnkID)}
	for id := int64(corpus.NumSpecial); id < int64(vocab); id++ {
		alone = append(alone, trigrams.UnigramLogProb(id))
	}
	of.Near("expect.alone", floats32(alone))
	err := torch.Run(func() error {
		m := smlm.New(smlm.Config{
			Vocab:        vocab,
			SMLMShape:    recipe.SMLMShape{Layers: 2, Heads: 3, Dim: 12, FF: 20},
			ControlCodes: recipe.ControlCodes{SourceToken: true},
		})
		defer m.Params.Free()
		guide := classifier.NewCNN(classifier.CNNConfig{
			Vocab: vocab, CNNShape: recipe.CNNShape{Embedding: 8, Filters: 5, Widths: []int{1, 2, 3}},
		})
		defer guide.Params.Free()
		if err := m.Params.Load(of.Path); err != nil {
			return err
		}
		if err := guide.Params.Load(ofGuide.Path); err != nil {
			return err
		}
		logp, err := guide.LogProbs(t.Context(), d.IDs)
		if err != nil {
			return err
		}
		ofGuide.Near("expect.log_p", floats32(slices.Concat(logp...)))
		return m.WithFiller(false, len(d.IDs), func(f *smlm.Filler) error {
			fills, err := f.Fills(t.Context(), d)
			if err != nil {
				return err
			}
			compareFills(of, fills)
			for name, r := range guidedRuns() {
				w := guided.Writer{
					How: r.Guided, Filler: f, Guide: guide, Fluency: trigrams, Phrases: phrases,
					KeepUnknown: r.keepUnknown,
				}
				found, err := w.Write(t.Context(), d, r.most)
				if err != nil {
					return err
				}
				compareOutputs(of, name, found)
				if err := compareBatches(t, &w, d, name, r.most, found); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// comparePhrases compares the phrases and words found in the training text.
func comparePhrases(r *testkit.Recorded, found *guided.Phrases, vocab int) {
	r.Near("expect.word_log_p", floats32(slices.Concat(found.LogP...)))
	code := func(p guided.Phrase) (code int64) {
		for _, id := range p {
			code = code*int64(vocab) + int64(id)
		}
		return code
	}
	for style := range 2 {
		table := found.Counterparts[corpus.Direction{From: style, To: 1 - style}]
		var rows [][]int64
		var likeness, gain []float64
		byCode := func(a, b guided.Phrase) int { return int(code(a) - code(b)) }
		for _, p := range slices.SortedFunc(maps.Keys(table), byCode) {
			row := []int64{code(p)}
			for _, c := range table[p] {
				row = append(row, code(guided.PhraseOf(c.IDs)))
				likeness, gain = append(likeness, c.Likeness), append(gain, c.Gain)
			}
			rows = append(rows, row)
		}
		name := strconv.Itoa(style)
		r.Same("expect.phrases."+name, rows)
		r.Near("expect.likeness."+name, floats32(likeness))
		r.Near("expect.gain."+name, floats32(gain))
	}
}

// compareFills compares the words that SMLM proposes.
func compareFills(r *testkit.Recorded, all [][][]guided.Fill) {
	var ids [][]int64
	var logQ []float64
	for _, fills := range slices.Concat(all...) {
		ids = append(ids, lists.Map(fills, func(f guided.Fill) int64 { return f.ID }))
		logQ = append(logQ, lists.Map(fills, func(f guided.Fill) float64 { return f.LogQ })...)
	}
	r.Same("expect.fills", ids)
	r.Near("expect.log_q", floats32(logQ))
}

// compareOutputs compares the words of outputs, their origins and their scores.
func compareOutputs(r *testkit.Recorded, name string, found [][]guided.Output) {
	number := map[guided.Origin]int64{guided.Kept: 1, guided.Filled: 2, guided.Rephrased: 3, guided.Deleted: 4}
	var of []int64
	var words, origins, places [][]int64
	var odd []int64
	var logQ, style, cost, worth []float64
	for i, outputs := range found {
		for _, o := range outputs {
			of = append(of, int64(i)+1)
			words = append(words, lists.Map(o.Words, func(w guided.Word) int64 { return w.ID }))
			origins = append(origins, lists.Map(o.Words, func(w guided.Word) int64 { return number[w.Origin] }))
			places = append(places, lists.Map(o.Words, func(w guided.Word) int64 { return int64(w.Place) + 1 }))
			logQ = append(logQ, lists.Map(o.Words, func(w guided.Word) float64 { return w.LogQ })...)
			style, odd = append(style, o.Style), append(odd, int64(o.Odd))
			cost, worth = append(cost, o.Cost), append(worth, o.Worth)
		}
	}
	r.Same("expect.of."+name, [][]int64{of})
	r.Same("expect.words."+name, words)
	r.Same("expect.origins."+name, origins)
	r.Same("expect.places."+name, places)
	r.Near("expect.log_q."+name, floats32(logQ))
	r.Near("expect.style."+name, floats32(style))
	r.Same("expect.odd."+name, [][]int64{odd})
	r.Near("expect.cost."+name, floats32(cost))
	r.Near("expect.worth."+name, floats32(worth))
}

// compareBatches checks that a sentence gets the same output whether it is rewritten among the
// other sentences, alone, in the opposite order, or among so many sentences that they are processed
// in several parts.
func compareBatches(
	t *testing.T, w *guided.Writer, d corpus.Encoded, name string, most int, among [][]guided.Output,
) error {
	compare := func(how string, order ...int) error {
		found, err := w.Write(t.Context(), picked(d, order), most)
		for k, outputs := range found {
			sameOutputs(t, name+", "+how, outputs, among[order[k]])
		}
		return err
	}
	var back []int
	for i := range slices.Backward(d.IDs) {
		back = append(back, i)
		if err := compare("alone", i); err != nil {
			return err
		}
	}
	if err := compare("in the opposite order", back...); err != nil {
		return err
	}
	if name != "candidates" {
		return nil
	}
	return compare("among many", slices.Repeat(back, 40)...)
}

// picked returns the sentences of d with the given indices.
func picked(d corpus.Encoded, order []int) (out corpus.Encoded) {
	for _, i := range order {
		out.IDs, out.Styles = append(out.IDs, d.IDs[i]), append(out.Styles, d.Styles[i])
		out.Targets, out.Masks = append(out.Targets, d.Targets[i]), append(out.Masks, d.Masks[i])
		out.Kept = append(out.Kept, d.Kept[i])
	}
	return out
}

func sameOutputs(t *testing.T, name string, got, want []guided.Output) {
	t.Helper()
	near := func(a, b float64) bool { return math.Abs(a-b) <= 10*testkit.Tolerance }
	same := slices.EqualFunc(got, want, func(a, b guided.Output) bool {
		return near(a.Style, b.Style) && near(a.Worth, b.Worth) &&
			slices.EqualFunc(a.Words, b.Words, func(a, b guided.Word) bool {
				return a.ID == b.ID && a.Place == b.Place && a.Origin == b.Origin && near(a.LogQ, b.LogQ)
			})
	})
	if !same {
		t.Errorf("%s: %+v, among others %+v", name, got, want)
	}
}

func floats32(x []float64) []float32 {
	return lists.Map(x, func(v float64) float32 { return float32(v) })
}
