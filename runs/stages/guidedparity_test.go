package stages

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/lm/ngram"
	"github.com/smlm-exp/smlm-exp/smlm"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// guidedVocab is VOCAB of testdata/parity/guided.py.
const guidedVocab = 60

// guidedRuns are RUNS of testdata/parity/guided.py.
func guidedRuns() map[string]recipe.Guided {
	plain := recipe.Guided{Plausible: .05, Order: recipe.AtOnce, Candidates: 1}
	with := func(change func(g *recipe.Guided)) recipe.Guided {
		g := plain
		change(&g)
		return g
	}
	unrevised := recipe.Guided{
		Gamma: 2, Plausible: .02, Price: .6, Fluency: 1.5, NoRepeats: true, Order: recipe.Confident,
		Candidates: 1, MoreMasks: 3, Doubt: .9, Restore: .9,
	}
	revised := unrevised
	revised.Revise, revised.ReviseGamma = true, .5
	return map[string]recipe.Guided{
		"gamma_0":   plain,
		"gamma_0.5": with(func(g *recipe.Guided) { g.Gamma = .5 }),
		"gamma_2":   with(func(g *recipe.Guided) { g.Gamma = 2 }),
		"all_fills": with(func(g *recipe.Guided) { g.Gamma, g.Plausible = 2, 1e-9 }),
		"confident": with(func(g *recipe.Guided) { g.Gamma, g.Order = 2, recipe.Confident }),
		"price":     with(func(g *recipe.Guided) { g.Gamma, g.Plausible, g.Price = .5, .02, .6 }),
		"no_repeats": with(func(g *recipe.Guided) {
			g.Gamma, g.Plausible, g.NoRepeats = .5, .3, true
		}),
		"fluency":    with(func(g *recipe.Guided) { g.Gamma, g.Plausible, g.Fluency = .5, .02, 1.5 }),
		"restore":    with(func(g *recipe.Guided) { g.Gamma, g.Restore = 2, .9 }),
		"more_masks": with(func(g *recipe.Guided) { g.Gamma, g.MoreMasks, g.Doubt = .5, 3, .9 }),
		"revise":     with(func(g *recipe.Guided) { g.Gamma, g.Fluency, g.Revise = 2, 1.5, true }),
		"revise_gamma": with(func(g *recipe.Guided) {
			g.Gamma, g.Fluency, g.Order, g.Restore = 2, 1.5, recipe.Confident, .9
			g.Revise, g.ReviseGamma = true, .5
		}),
		"unrevised":      unrevised,
		"two_classes":    revised,
		"evidence":       with(func(g *recipe.Guided) { g.Gamma, g.Evidence = 2, .5 }),
		"no_punctuation": with(func(g *recipe.Guided) { g.Gamma, g.Plausible, g.NoPunctuation = 2, .02, true }),
		"no_punctuation_repeats": with(func(g *recipe.Guided) {
			g.Gamma, g.Plausible, g.NoRepeats, g.NoPunctuation = .5, .3, true, true
		}),
	}
}

// recordedPunctuation is PUNCTUATION of testdata/parity/guided.py.
func recordedPunctuation() []bool {
	is := make([]bool, guidedVocab)
	for id := corpus.NumSpecial; id < guidedVocab; id += 2 {
		is[id] = true
	}
	return is
}

// guidedSlots is SLOTS of testdata/parity/guided.py.
const guidedSlots = 3

// slotRuns are SLOT_RUNS of testdata/parity/guided.py.
func slotRuns() map[string]recipe.Guided {
	plain := recipe.Guided{Plausible: .05, Order: recipe.AtOnce, Candidates: 1}
	with := func(change func(g *recipe.Guided)) recipe.Guided {
		g := plain
		change(&g)
		return g
	}
	whole := guidedRuns()["two_classes"]
	whole.Evidence, whole.Length, whole.LengthGamma = .5, 1, 1
	whole.LengthFit = 3
	return map[string]recipe.Guided{
		"plain":        plain,
		"longer":       with(func(g *recipe.Guided) { g.Length = 1 }),
		"shorter":      with(func(g *recipe.Guided) { g.Length = -1 }),
		"gamma":        with(func(g *recipe.Guided) { g.Gamma = 2 }),
		"length_gamma": with(func(g *recipe.Guided) { g.Gamma, g.LengthGamma = 2, 1 }),
		"no_repeats": with(func(g *recipe.Guided) {
			g.Gamma, g.Plausible, g.NoRepeats, g.Length = 2, .3, true, -1
		}),
		"confident": with(func(g *recipe.Guided) { g.Gamma, g.Order, g.LengthGamma = 2, recipe.Confident, 1 }),
		"restore": with(func(g *recipe.Guided) {
			g.Gamma, g.Fluency, g.Restore, g.MoreMasks, g.Doubt, g.Length = 2, 1.5, .9, 2, .9, -1
		}),
		"fit": with(func(g *recipe.Guided) {
			g.Gamma, g.Fluency, g.Order, g.LengthGamma, g.LengthFit = 2, 1.5, recipe.Confident, 1, 3
		}),
		"revise": with(func(g *recipe.Guided) {
			g.Gamma, g.Fluency, g.Revise, g.ReviseGamma, g.LengthGamma = 2, 1.5, true, .5, 1
		}),
		"revise_fit": with(func(g *recipe.Guided) {
			g.Gamma, g.Fluency, g.Revise, g.ReviseGamma, g.Length, g.LengthFit = 2, 1.5, true, .5, 1, 3
		}),
		"revise_shorter": with(func(g *recipe.Guided) {
			g.Gamma, g.Order, g.Restore, g.Revise, g.Length, g.LengthGamma = 2, recipe.Confident, .8, true, -1, 1
		}),
		"whole": whole,
	}
}

// likeFile is LIKE_FILE of testdata/parity/ranked.py.
var likeFile = recipe.Guided{
	Gamma: 9, Plausible: .02, Price: 1.4, Fluency: 1.5, NoRepeats: true, Order: recipe.Confident, Candidates: 1,
	MoreMasks: 3, Doubt: .95, Restore: .96, Revise: true, ReviseGamma: .5, Evidence: .5, LengthFit: 5, Ranked: true,
}

// rankedRuns are RUNS of testdata/parity/ranked.py, and RANKED; the names of those with slots begin
// so.
func rankedRuns() map[string]recipe.Guided {
	with := func(change func(g *recipe.Guided)) recipe.Guided {
		g := recipe.Guided{Gamma: 2, Plausible: .05, Order: recipe.AtOnce, Candidates: 1, Doubt: .9}
		change(&g)
		return g
	}
	calm, slots := likeFile, likeFile
	calm.Gamma, calm.Price, calm.Doubt, calm.Restore = 2, .6, .9, .9
	slots.Length, slots.LengthGamma, slots.LengthFit = -1, 1, 2
	return map[string]recipe.Guided{
		"contrast":               with(func(g *recipe.Guided) { g.Contrast = 1.5 }),
		"mask_contrast":          with(func(g *recipe.Guided) { g.MaskContrast = 1 }),
		"mask_contrast_evidence": with(func(g *recipe.Guided) { g.Evidence, g.MaskContrast = .4, .8 }),
		"restore_contrast":       with(func(g *recipe.Guided) { g.Restore, g.RestoreContrast = .8, .7 }),
		"slots_contrast": with(func(g *recipe.Guided) {
			g.Contrast, g.MaskContrast, g.Restore, g.RestoreContrast = 1, 1.2, .8, .7
		}),
		"ranked":       likeFile,
		"ranked_calm":  calm,
		"slots_ranked": slots,

		"ranked_negations":       likeFile,
		"slots_ranked_negations": slots,
	}
}

// recordedNegations returns those that are recorded.
func recordedNegations(r *testkit.Recorded) (out []guided.Negation) {
	words := func(row []int64) []int64 { return row[:slices.Index(append(slices.Clone(row), 0), 0)] }
	to := r.Rows("input.negated_to")
	for i, from := range r.Rows("input.negated_from") {
		out = append(out, guided.Negation{From: words(from), To: words(to[i])})
	}
	return out
}

// recordedRanker returns the ranker that is recorded.
func recordedRanker(r *testkit.Recorded) *guided.Ranker {
	var ranker guided.Ranker
	fill := func(to []float64, name string, from int) {
		for i, x := range r.Floats("ranker." + name)[from : from+len(to)] {
			to[i] = float64(x)
		}
	}
	fill(ranker.Mean[:], "mean", 0)
	fill(ranker.SD[:], "sd", 0)
	for i := range ranker.Of {
		bias := []float64{0}
		fill(bias, "bias", i)
		ranker.Of[i].Bias = bias[0]
		fill(ranker.Of[i].Weights[:], "weights", i*len(ranker.Mean))
	}
	return &ranker
}

// recordedData returns sentences that are recorded with 0 behind their ends.
func recordedData(r *testkit.Recorded, ids, masks, styles string) (d corpus.Encoded) {
	on := r.Rows(masks)
	for i, row := range r.Rows(ids) {
		n := 0
		for n < len(row) && row[n] != 0 {
			n++
		}
		d.IDs, d.Masks = append(d.IDs, row[:n]), append(d.Masks, recordedMask(on[i][:n]))
	}
	for _, s := range r.Rows(styles)[0] {
		d.Styles, d.Asked = append(d.Styles, int(s)), append(d.Asked, 1-int(s))
	}
	return d
}

func recordedMask(row []int64) (mask []bool) {
	for _, on := range row {
		mask = append(mask, on == 1)
	}
	return mask
}

// TestGuidedParity compares guided refill with PyTorch's, written sentence by sentence by decision
// 016 (testdata/parity/guided.py): what the parts say of words as numbers, and the words that they
// choose exactly. In some runs a masked word may become none or several: there also how many it
// becomes, and log q of all that was chosen. Of those that write in several ways, as decision 039
// has them (testdata/parity/ranked.py), it compares the ways and features that the ranker chooses
// by too, and its choice.
func TestGuidedParity(t *testing.T) {
	withSlots := testkit.OpenRecorded(t, "guided_slots")
	of, judged := testkit.OpenRecorded(t, "guided"), testkit.OpenRecorded(t, "guided_cnn")
	ofRanked, judgedRanked := testkit.OpenRecorded(t, "guided_ranked"), testkit.OpenRecorded(t, "guided_ranked_cnn")
	d := recordedData(of, "input.ids", "input.mask", "input.styles")
	toRank := recordedData(ofRanked, "input.ids", "input.mask", "input.styles")
	text := recordedData(of, "input.text", "input.text_mask", "input.text_styles")
	r := guided.Refiller{LogShare: guided.LogShares(text, 2, guidedVocab)}
	trigrams := ngram.Train(text.IDs, 3, guidedVocab)
	of.Near("expect.log_share", floats32(append(r.LogShare[0], r.LogShare[1]...)))
	var fluency []float64
	for _, ids := range d.IDs {
		fluency = append(fluency, trigrams.LogProb(ids))
	}
	of.Near("expect.fluency", floats32(fluency))
	err := torch.Run(func() error {
		shape := smlm.Config{
			Vocab:        guidedVocab,
			SMLMShape:    recipe.SMLMShape{Layers: 2, Heads: 3, Dim: 12, FF: 20},
			ControlCodes: recipe.ControlCodes{SourceToken: true},
		}
		m, ranked := smlm.New(shape), smlm.New(shape)
		defer m.Params.Free()
		defer ranked.Params.Free()
		shape.Slots = guidedSlots
		slots, rankedSlots := smlm.New(shape), smlm.New(shape)
		defer slots.Params.Free()
		defer rankedSlots.Params.Free()
		c := classifier.CNNConfig{
			Vocab: guidedVocab, CNNShape: recipe.CNNShape{Embedding: 8, Filters: 5, Widths: []int{1, 2, 3}},
		}
		guide, rankedGuide := classifier.NewCNN(c), classifier.NewCNN(c)
		defer guide.Params.Free()
		defer rankedGuide.Params.Free()
		for _, load := range []struct {
			*nn.Params
			from string
		}{
			{m.Params, of.Path},
			{slots.Params, withSlots.Path},
			{ranked.Params, ofRanked.Path},
			{rankedSlots.Params, ofRanked.Path},
			{rankedGuide.Params, judgedRanked.Path},
			{guide.Params, judged.Path},
		} {
			if err := load.Load(load.from); err != nil {
				return err
			}
		}
		for _, p := range []struct {
			guided.Guide
			in *testkit.Recorded
			corpus.Encoded
		}{{guide, judged, d}, {rankedGuide, judgedRanked, toRank}} {
			logp, err := p.LogProbs(t.Context(), p.IDs)
			if err != nil {
				return err
			}
			p.in.Near("expect.log_p", floats32(slices.Concat(logp...)))
		}
		compareRuns := func(
			in *testkit.Recorded, d corpus.Encoded, f *smlm.Filler, guide guided.Guide, runs map[string]recipe.Guided,
		) error {
			r.Filler, r.Likelihood, r.Slots = f, f, f.Config.Slots
			for name, how := range runs {
				r.How, r.Guide, r.Fluency = how, nil, nil
				if how.AsksGuide() {
					r.Guide = guide
				}
				if how.AsksNGrams() {
					r.Fluency = trigrams
				}
				if r.Punctuation = nil; how.NoPunctuation {
					r.Punctuation = recordedPunctuation()
				}
				if r.Negations = nil; strings.Contains(name, "negations") {
					r.Negations = recordedNegations(in)
				}
				out, err := r.Transfer(t.Context(), d)
				if err != nil {
					return err
				}
				compareOutputs(in, name, out)
				if r.Slots > 0 || len(r.Negations) > 0 {
					comparePlaces(in, name, out)
				}
				if how.Ranked {
					if err := compareChoices(t, &r, in, d, name, out); err != nil {
						return err
					}
				}
				if err := compareAlone(t, r, d, name, out); err != nil {
					return err
				}
			}
			return nil
		}
		err := slots.WithFiller(false, len(d.IDs), func(f *smlm.Filler) error {
			d := d
			d.Masks = nil
			for i, row := range withSlots.Rows("input.mask") {
				d.Masks = append(d.Masks, recordedMask(row[:len(d.IDs[i])]))
			}
			return compareRuns(withSlots, d, f, guide, slotRuns())
		})
		if err != nil {
			return err
		}
		r.Ranker = recordedRanker(ofRanked)
		for _, model := range []*smlm.Model{ranked, rankedSlots} {
			runs := rankedRuns()
			maps.DeleteFunc(runs, func(name string, _ recipe.Guided) bool {
				return strings.HasPrefix(name, "slots") != (model.Config.Slots > 0)
			})
			err := model.WithFiller(false, len(toRank.IDs), func(f *smlm.Filler) error {
				return compareRuns(ofRanked, toRank, f, rankedGuide, runs)
			})
			if err != nil {
				return err
			}
		}
		return m.WithFiller(false, len(d.IDs), func(f *smlm.Filler) error {
			if err := compareContrast(of, f, d); err != nil {
				return err
			}
			err := compareRuns(of, d, f, guide, guidedRuns())
			if err != nil {
				return err
			}
			plain, err := m.Transfer(t.Context(), d, smlm.Decoding{Decoding: recipe.Copied})
			of.Same("expect.words.gamma_0", plain)
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// compareContrast compares the fills of all masks and their scores without price and fluency, less
// that of the likeliest: Fill.Own is known up to a constant.
func compareContrast(r *testkit.Recorded, f *smlm.Filler, s corpus.Encoded) error {
	all, err := f.Fills(context.Background(), s, true)
	if err != nil {
		return err
	}
	var ids [][]int64
	var asked []float64
	scores := map[string][]float64{}
	for _, places := range all {
		for _, fills := range places {
			var words []int64
			for _, w := range fills {
				words, asked = append(words, w.ID), append(asked, w.Asked)
			}
			ids = append(ids, words)
			for _, name := range []string{"gamma_0", "gamma_0.5", "gamma_2"} {
				gamma := guidedRuns()[name].Gamma
				score := func(w guided.Fill) float64 { return w.Asked + gamma*(w.Asked-w.Own) }
				for _, w := range fills {
					scores[name] = append(scores[name], score(w)-score(fills[0]))
				}
			}
		}
	}
	r.Same("expect.fills", ids)
	r.Near("expect.log_q", floats32(asked))
	for name, x := range scores {
		r.Near("expect.score."+name, floats32(x))
	}
	return nil
}

// compareOutputs compares words, where they come from, and what SMLM and the guide thought of them.
func compareOutputs(r *testkit.Recorded, name string, out []guided.Output) {
	number := map[guided.Origin]int64{
		guided.Kept: 0, guided.Restored: 1, guided.Refilled: 2, guided.Added: 3, guided.Inserted: 4, guided.Deleted: 5,
	}
	want := r.Rows("expect.origins." + name)
	var words, origins [][]int64
	var chosen, sure, back []float64
	for _, o := range out {
		words = append(words, o.IDs())
		asked, beside := make([]float64, len(want[0])), make([]float64, len(want[0]))
		from := make([]int64, len(o.Words))
		for k, w := range o.Words {
			asked[k], beside[k], from[k] = w.Asked, w.Sure, number[w.Origin]
		}
		chosen, back = append(chosen, asked...), append(back, beside...)
		origins, sure = append(origins, from), append(sure, o.Sure)
	}
	r.Same("expect.words."+name, words)
	r.Same("expect.origins."+name, origins)
	r.Near("expect.chosen."+name, floats32(chosen))
	r.Near("expect.sure."+name, floats32(sure))
	r.Near("expect.back."+name, floats32(back))
}

// comparePlaces compares where words of outputs with slots stand, and log q of all that was chosen.
func comparePlaces(r *testkit.Recorded, name string, out []guided.Output) {
	var places [][]int64
	var logq []float64
	for _, o := range out {
		var row []int64
		for _, w := range o.Words {
			row = append(row, int64(w.Place))
		}
		places, logq = append(places, row), append(logq, o.LogQ)
	}
	r.Same("expect.places."+name, places)
	r.Near("expect.log_q."+name, floats32(logq))
}

// compareChoices compares what the ranker chooses among, the numbers that it chooses by, and its
// choice.
func compareChoices(
	t *testing.T, r *guided.Refiller, in *testkit.Recorded, d corpus.Encoded, name string, out []guided.Output,
) error {
	choices, err := r.Choices(t.Context(), d)
	if err != nil {
		return err
	}
	var ways, chosen [][]int64
	var features, scores []float64
	for i, some := range choices {
		var among, way []int64
		for _, c := range some {
			among = append(among, int64(c.Way)+1)
			if slices.Equal(c.IDs(), out[i].IDs()) {
				way = append(way, int64(c.Way)+1)
			}
			if !slices.Equal(c.IDs(), d.IDs[i]) {
				features, scores = append(features, c.Features[:]...), append(scores, r.Ranker.Score(c.Features))
			}
		}
		ways, chosen = append(ways, among), append(chosen, way)
	}
	in.Same("expect.ways."+name, ways)
	in.Same("expect.way."+name, chosen)
	in.Near("expect.features."+name, floats32(features))
	in.Near("expect.score."+name, floats32(scores))
	return nil
}

// compareAlone holds that a sentence among others, of which some are as long as it, becomes what it
// becomes alone and in the opposite order. No choice is so near that rounding could make it
// otherwise.
func compareAlone(
	t *testing.T, r guided.Refiller, s corpus.Encoded, name string, among []guided.Output,
) error {
	var back corpus.Encoded
	for i := range slices.Backward(s.IDs) {
		one := s.Slice(i, i+1)
		back.IDs, back.Styles = append(back.IDs, one.IDs...), append(back.Styles, one.Styles...)
		back.Asked = append(back.Asked, one.Asked...)
		back.Masks = append(back.Masks, one.Masks...)
		alone, err := r.Transfer(t.Context(), one)
		if err != nil {
			return err
		}
		sameOutput(t, name+", alone", alone[0], among[i])
	}
	reversed, err := r.Transfer(t.Context(), back)
	for i, o := range reversed {
		sameOutput(t, name+", in the opposite order", o, among[len(among)-1-i])
	}
	return err
}

func sameOutput(t *testing.T, name string, got, want guided.Output) {
	t.Helper()
	same := math.Abs(got.Sure-want.Sure) <= testkit.Tolerance &&
		slices.EqualFunc(got.Words, want.Words, func(a, b guided.Word) bool {
			return a.ID == b.ID && a.Place == b.Place && a.Origin == b.Origin &&
				math.Abs(a.Asked-b.Asked) <= 10*testkit.Tolerance
		})
	if !same {
		t.Errorf("%s: %+v, among others %+v", name, got, want)
	}
}

func floats32(x []float64) []float32 {
	out := make([]float32, len(x))
	for i, v := range x {
		out[i] = float32(v)
	}
	return out
}
