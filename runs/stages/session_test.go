package stages

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/lm/ngram"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/smlm"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// The function untrained returns a request with models that are not trained. The argument model
// names the transfer model.
func untrained(t *testing.T, model stage.Name) TransferRequest {
	t.Helper()
	return untrainedAs(t, model, recipe.ControlCodes{})
}

func untrainedAs(t *testing.T, model stage.Name, codes recipe.ControlCodes) TransferRequest {
	t.Helper()
	in := demoInputs(t)
	for _, name := range []string{"divlstm", "model", "guide", "fluency", "phrases"} {
		in[name] = t.TempDir()
	}
	err := torch.Run(func() error {
		v, err := corpus.LoadVocab(filepath.Join(in["vocab"], "vocab.txt"))
		if err != nil {
			return err
		}
		torch.Seed(4)
		keep := func(name string, of stage.Name, p *nn.Params, config any) {
			err = cmpOr(err, p.Save(filepath.Join(in[name], "model.safetensors")))
			err = cmpOr(err, writeJSON(in[name], "model.json", config))
			err = cmpOr(err, writeJSON(in[name], "stage.json", stage.Record{Name: of, Settings: []byte("{}")}))
			p.Free()
		}
		div := divlstm.New(divlstm.Config{
			Vocab: v.Len(), DivLSTMShape: recipe.DivLSTMShape{Embedding: 8, Hidden: 8, Attention: 8},
		})
		keep("divlstm", DivLSTM, div.Params, div.Config)
		c := smlm.Config{
			Vocab: v.Len(), SMLMShape: recipe.SMLMShape{Layers: 1, Heads: 2, Dim: 8, FF: 16}, ControlCodes: codes,
		}
		if model == SMLMG {
			c.DecoderLayers = 1
			g := smlm.NewGenerator(c)
			keep("model", model, g.Params, g.Config)
		} else {
			m := smlm.New(c)
			keep("model", model, m.Params, m.Config)
		}
		guide := classifier.NewCNN(classifier.CNNConfig{
			Vocab: v.Len(), CNNShape: recipe.CNNShape{Embedding: 8, Filters: 4, Widths: []int{1, 2}},
		})
		keep("guide", Guide, guide.Params, guide.Config)
		text := v.EncodeAll(corpus.Demo().Text[corpus.Dev][0])
		return cmpOr(err, ngram.Train(text, v.Len()).Save(filepath.Join(in["fluency"], "model.safetensors")))
	})
	if err == nil {
		err = findPhrases(t.Context(), &stage.Job{Dir: in["phrases"], Inputs: in}, struct{}{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return TransferRequest{
		Inputs: in, Direction: corpus.Direction{To: 1}, Devices: "cpu", Threads: 1,
		Attribution: AttributionSettings{Method: policy.ExplainableAttention},
		Mask:        MaskSettings{Policy: policy.Policy{Name: policy.Surplus}},
		Settings:    TransferSettings{Decoding: recipe.Copied},
	}
}

func cmpOr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// guidedSettings returns the default settings for guided outputs.
func guidedSettings() TransferSettings {
	return TransferSettings{Decoding: recipe.GuidedDecoding, Guided: experiment.DefaultSettings().Guided.Guided}
}

// The function rewritten opens the models and rewrites two sentences. Some words of the sentences
// are not in the vocabulary.
func rewritten(t *testing.T, q TransferRequest) ([][]string, []Rewritten) {
	t.Helper()
	s, err := Torch{}.OpenTransfer(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	sources := [][]string{
		strings.Fields("the zorblax was cold , and the qwertz was not ."),
		strings.Fields("we liked the xyzzy of the soup ."),
	}
	done, err := s.Rewrite(t.Context(), sources)
	if err != nil {
		t.Fatal(err)
	}
	return sources, done
}

// TestSessionCopies: with copied decoding, every word that is not masked stays as it is. With
// predicted decoding, unmasked words stay as they are if the vocabulary lacks them.
func TestSessionCopies(t *testing.T) {
	for _, c := range []struct {
		model    stage.Name
		settings TransferSettings
	}{
		{SMLM, TransferSettings{Decoding: recipe.Copied}},
		{SMLM, TransferSettings{Decoding: recipe.Predicted}},
		{SMLMG, TransferSettings{Decoding: recipe.Copied}},
	} {
		q := untrained(t, c.model)
		q.Settings = c.settings
		v, err := corpus.LoadVocab(filepath.Join(q.Inputs["vocab"], "vocab.txt"))
		if err != nil {
			t.Fatal(err)
		}
		sources, done := rewritten(t, q)
		for i, r := range done {
			copies := c.settings.Decoding.Copies()
			if r.Origins != nil || r.Candidates != nil {
				t.Errorf("%s: origins %+v and candidates %+v of %+v", c.model, r.Origins, r.Candidates, c.settings)
			}
			masked := 0
			for k, w := range sources[i] {
				unknown := v.ID(w) == corpus.UnkID
				on := r.Masked[k] == corpus.MaskToken
				if on {
					masked++
				}
				if r.Unknown[k] != unknown || !on && (copies || unknown) && r.Output[k] != w {
					t.Errorf("%s: word %d of %q, unknown %v, becomes %q", c.model, k, sources[i], r.Unknown[k], r.Output)
				}
			}
			if masked == 0 || masked == len(sources[i]) {
				t.Errorf("%s: %d words of %d are masked: it says nothing", c.model, masked, len(sources[i]))
			}
		}
	}
}

// TestSessionGuided: guided outputs say where each word comes from. Words that the vocabulary lacks
// are kept, even if they are masked.
func TestSessionGuided(t *testing.T) {
	for _, model := range []stage.Name{SMLM, SMLMFT} {
		q := untrained(t, model)
		q.Settings = guidedSettings()
		q.Settings.Guided.Style = 10_000 // a high weight, because the guide is not trained
		q.Mask.Policy = policy.Policy{Name: policy.TopShare, TopShare: 1}
		sources, done := rewritten(t, q)
		changed := 0
		for i, r := range done {
			var places []int
			kept := map[int]bool{}
			for _, w := range r.Origins.Words {
				if w.Origin != guided.Deleted {
					places = append(places, w.Place)
				}
				if w.Origin == guided.Kept {
					kept[w.Place] = true
				} else {
					changed++
				}
				other := w.Origin == guided.Kept && w.Word != sources[i][w.Place]
				if other || (w.P > 0) != (w.Origin == guided.Filled) {
					t.Errorf("%s: a word of %q is %+v", model, sources[i], w)
				}
			}
			if !slices.Equal(r.Origins.spelled(), r.Output) || !slices.Equal(places, r.Places) || r.Candidates != nil {
				t.Errorf("%s: %q in %v, of %+v", model, r.Output, r.Places, r.Origins)
			}
			for k, unknown := range r.Unknown {
				if unknown && !kept[k] {
					t.Errorf("%s: %q of %q becomes another word: %q", model, sources[i][k], sources[i], r.Output)
				}
			}
		}
		if changed == 0 {
			t.Errorf("%s: no word is changed: it says nothing", model)
		}
	}
}

// TestSessionKeepsLinks: a link in a user's sentence is not masked, even by a policy that masks all
// other words, and no edit changes it.
func TestSessionKeepsLinks(t *testing.T) {
	for model, all := range map[stage.Name][]TransferSettings{
		SMLM: {{Decoding: recipe.Copied}, guidedSettings()}, SMLMG: {{Decoding: recipe.Copied}},
	} {
		for _, settings := range all {
			q := untrained(t, model)
			q.Settings = settings
			q.Mask.Policy = policy.Policy{Name: policy.TopShare, TopShare: 1}
			s, err := Torch{}.OpenTransfer(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			done, err := s.Rewrite(t.Context(), [][]string{
				strings.Fields("the WWW.example.org/soup was @cold ."), {"a@b.example"},
			})
			s.Close()
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(done[0].Masked, " "); got != "<mask> WWW.example.org/soup <mask> @cold <mask>" {
				t.Errorf("%s, %s: masked as %q", model, settings.Decoding, got)
			}
			for _, link := range []string{"WWW.example.org/soup", "@cold"} {
				if !slices.Contains(done[0].Output, link) {
					t.Errorf("%s, %s: becomes %q", model, settings.Decoding, done[0].Output)
				}
			}
			if out := done[1].Output; !slices.Equal(out, []string{"a@b.example"}) {
				t.Errorf("%s, %s: an address becomes %q", model, settings.Decoding, out)
			}
		}
	}
}

// TestSessionCandidates checks that a sentence has as many candidates as requested, or fewer if the
// search finds fewer. The first candidate is the best and equals the output. Only guided outputs
// have candidates.
func TestSessionCandidates(t *testing.T) {
	q := untrained(t, SMLM)
	q.Settings = guidedSettings()
	_, plain := rewritten(t, q)
	for _, n := range []int{1, 3} {
		q.Candidates = n
		_, done := rewritten(t, q)
		for i, r := range done {
			if len(r.Candidates) != n {
				t.Errorf("%d candidates, want %d", len(r.Candidates), n)
			}
			first, alone := r.Candidates[0], plain[i].Output
			if !slices.Equal(first.Output, r.Output) || !slices.Equal(first.Places, r.Places) ||
				!slices.Equal(r.Output, alone) {
				t.Errorf("%q is written, %q is the first candidate, %q without candidates", r.Output, first.Output, alone)
			}
			for k, c := range r.Candidates {
				if !slices.Equal(c.Origins.spelled(), c.Output) || len(c.Places) != len(c.Output) ||
					c.Odd < 0 || c.Cost < 0 {
					t.Errorf("candidate %d is %+v", k, c)
				}
				if k > 0 && (c.Score > r.Candidates[k-1].Score || slices.Equal(c.Output, r.Candidates[k-1].Output)) {
					t.Errorf("candidate %d is %+v, after %+v", k, c, r.Candidates[k-1])
				}
			}
		}
	}
	for _, decoding := range []recipe.Decoding{recipe.Copied, recipe.Predicted} {
		q.Settings = TransferSettings{Decoding: decoding}
		_, err := Torch{}.OpenTransfer(t.Context(), q)
		testkit.WantError(t, err, userr.BadInput, "only guided outputs have several candidates", "--decoding guided")
	}
}

// TestSessionOfEdits: a source word may be deleted or replaced by several words. For each word of
// an output or a candidate, Places has the index of the source word that it copies or replaces.
// Words that the vocabulary lacks are kept.
func TestSessionOfEdits(t *testing.T) {
	vocab := corpus.BuildVocab([][]corpus.Sentence{{strings.Fields("the soup was so cold hot very")}}, 50)
	sources := [][]string{strings.Fields("the zorblax was so cold")}
	at := func(place int, origin guided.Origin, of string) guided.Word {
		return guided.Word{ID: vocab.ID(of), Place: place, Origin: origin}
	}
	gone := func(place int) guided.Word {
		return guided.Word{ID: corpus.EosID, Place: place, Origin: guided.Deleted}
	}
	filled := at(4, guided.Filled, "hot")
	filled.LogQ = -2
	written := guided.Output{Style: .75, Odd: 3, Cost: 1.5, Worth: .5, Words: []guided.Word{
		at(0, guided.Kept, "the"), at(1, guided.Kept, "zorblax"), at(2, guided.Kept, "was"), gone(3), filled,
	}}
	other := guided.Output{Words: []guided.Word{
		gone(0), at(1, guided.Kept, "zorblax"), at(2, guided.Kept, "was"),
		at(3, guided.Kept, "so"), at(3, guided.Rephrased, "very"), at(3, guided.Rephrased, "very"), at(4, guided.Kept, "cold"),
	}}
	s := &session{
		Request: TransferRequest{Candidates: 2}, Vocab: vocab, On: func(fn func() error) error { return fn() },
		Masks: func(context.Context, corpus.Encoded) ([][]bool, error) {
			return [][]bool{{false, false, false, true, true}}, nil
		},
		Model: &transferModel{Write: func(_ context.Context, _ corpus.Encoded, most int) ([][]guided.Output, error) {
			return [][]guided.Output{[]guided.Output{written, other}[:most]}, nil
		}},
	}
	check := func(words []string, places []int, want string, stand ...int) {
		t.Helper()
		if got := strings.Join(words, " "); got != want || !slices.Equal(places, stand) {
			t.Errorf("%q in places %v, want %q in %v", got, places, want, stand)
		}
	}
	done, err := s.Rewrite(t.Context(), sources)
	if err != nil {
		t.Fatal(err)
	}
	r := done[0]
	check(r.Output, r.Places, "the zorblax was hot", 0, 1, 2, 4)
	if len(r.Candidates) != 2 {
		t.Fatalf("%d candidates", len(r.Candidates))
	}
	first, second := r.Candidates[0], r.Candidates[1]
	check(first.Output, first.Places, "the zorblax was hot", 0, 1, 2, 4)
	check(second.Output, second.Places, "zorblax was so very very cold", 1, 2, 3, 3, 3, 4)
	if first.Odd != 3 || first.Cost != 1.5 || first.Score != .5 {
		t.Errorf("the first candidate is %+v", first)
	}
	for _, o := range []*Origins{r.Origins, first.Origins} {
		if !slices.Equal(o.spelled(), r.Output) || o.Guide != .75 ||
			o.Words[3] != (Word{Origin: guided.Deleted, Place: 3}) ||
			o.Words[4] != (Word{Word: "hot", Origin: guided.Filled, Place: 4, P: math.Exp(-2)}) {
			t.Errorf("the words of %q are %+v", r.Output, o)
		}
	}
}

// TestShapeOfAnotherProgram: a model is not opened if its shape has a field that this program does
// not know, even if the weights fit. Such a model may come from a newer program.
func TestShapeOfAnotherProgram(t *testing.T) {
	for _, model := range []stage.Name{SMLM, SMLMG} {
		q := untrained(t, model)
		path := filepath.Join(q.Inputs["model"], "model.json")
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, bytes.Replace(text, []byte("{"), []byte(`{"gates": 3,`), 1), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		err = torch.Run(func() error {
			r, err := loadTransferModel(q.Inputs, nil, q.Settings, false)
			if err == nil {
				r.Free()
			}
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "gates") {
			t.Errorf("%s with a field that is not known: %v", model, err)
		}
	}
}

// TestVocabOfAnotherSize: a vocabulary with more words than the models is refused before its words
// are read. Reading millions of words takes long.
func TestVocabOfAnotherSize(t *testing.T) {
	q := untrained(t, SMLM)
	q.Inputs["vocab"] = t.TempDir()
	testkit.WriteFile(t, filepath.Join(q.Inputs["vocab"], "vocab.txt"), strings.Repeat(" no word\n", 1000))
	_, transfer := Torch{}.OpenTransfer(t.Context(), q)
	_, explain := Torch{}.OpenExplain(t.Context(), ExplainRequest{
		VocabDir: q.Inputs["vocab"], Methods: []ExplainMethod{{DivLSTM: q.Inputs["divlstm"]}}, Devices: "cpu",
	})
	for _, err := range []error{transfer, explain} {
		if userr.CodeOf(err) != userr.BadInput || !strings.Contains(err.Error(), "but the vocabulary has 1000 words") {
			t.Error(err)
		}
	}
}
