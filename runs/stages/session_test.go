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
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/lm/ngram"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/smlm"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// untrained returns a request for models with the weights they begin with; model is the one that
// writes.
func untrained(t *testing.T, model stage.Name) TransferRequest {
	t.Helper()
	return untrainedAs(t, model, recipe.ControlCodes{})
}

func untrainedAs(t *testing.T, model stage.Name, codes recipe.ControlCodes) TransferRequest {
	t.Helper()
	in := demoInputs(t)
	for _, name := range []string{"divlstm", "model", "guide", "fluency"} {
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
		return cmpOr(err, ngram.Train(text, 3, v.Len()).Save(filepath.Join(in["fluency"], "model.safetensors")))
	})
	if err != nil {
		t.Fatal(err)
	}
	return TransferRequest{
		Inputs: in, Direction: corpus.Direction{To: 1}, Devices: "cpu", Threads: 1, Draw: experiment.DefaultSettings().Guided.Guided,
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

// rewritten opens the models, and hands them two sentences with words that the vocabulary lacks.
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

// TestSessionCopies: whatever the model, words that are not masked come out as they went in, those
// too that the vocabulary lacks; asked why, it writes the same words and says where each is from.
func TestSessionCopies(t *testing.T) {
	for _, c := range []struct {
		model    stage.Name
		settings TransferSettings
	}{
		{SMLM, TransferSettings{Decoding: recipe.Copied}},
		{SMLM, TransferSettings{Decoding: recipe.Predicted}},
		{SMLMFT, TransferSettings{Decoding: recipe.GuidedDecoding, Guided: recipe.Guided{
			Gamma: 1, Plausible: .02, Fluency: 1, Candidates: 1, Restore: .5, Order: recipe.Confident,
		}}},
		{SMLMG, TransferSettings{Decoding: recipe.Copied}},
		{SMLMG, TransferSettings{Decoding: recipe.Copied, Beam: 3, NoRepeats: true}},
	} {
		q := untrained(t, c.model)
		q.Settings = c.settings
		v, err := corpus.LoadVocab(filepath.Join(q.Inputs["vocab"], "vocab.txt"))
		if err != nil {
			t.Fatal(err)
		}
		sources, plain := rewritten(t, q)
		q.Why = true
		_, why := rewritten(t, q)
		for i, r := range why {
			if !slices.Equal(r.Output, plain[i].Output) || !slices.Equal(r.Masked, plain[i].Masked) {
				t.Errorf("%s: %q, and asked why %q", c.model, plain[i].Output, r.Output)
			}
			copies := c.settings.Decoding.Copies()
			if copies != (r.Origins != nil) {
				t.Fatalf("%s: origins %+v of %+v", c.model, r.Origins, c.settings)
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
				if !copies {
					continue
				}
				o := r.Origins.Words[k]
				likely := o.Origin != guided.Refilled || o.P > 0 && o.P <= 1
				if (o.Origin == guided.Kept) == on || o.Word != r.Output[k] || !likely {
					t.Errorf("%s: word %d of %q is %+v", c.model, k, r.Masked, o)
				}
			}
			if masked == 0 || masked == len(sources[i]) {
				t.Errorf("%s: %d words of %d are masked: it says nothing", c.model, masked, len(sources[i]))
			}
		}
	}
}

// TestSessionKeepsUnknown: where the guide doubts and masks further words, none of them is one that
// the vocabulary lacks, and what is written is what its words are said to be.
func TestSessionKeepsUnknown(t *testing.T) {
	q := untrained(t, SMLM)
	q.Why = true
	q.Settings.Decoding = recipe.GuidedDecoding
	q.Settings.Guided = recipe.Guided{Plausible: .02, Candidates: 1, MoreMasks: 6, Doubt: 1}
	q.Mask.Policy.LambdaEps = .05 // a few words: attention without training is nearly the same for all
	sources, done := rewritten(t, q)
	added := 0
	for i, r := range done {
		for k, w := range r.Origins.Words {
			if w.Origin == guided.Added {
				added++
			}
			unmasked := r.Masked[k] != corpus.MaskToken
			kept := r.Output[k] == sources[i][k] && w.Origin == guided.Kept
			if r.Output[k] != w.Word || r.Unknown[k] && unmasked && !kept {
				t.Errorf("word %d of %q, unknown %v, becomes %q: %+v", k, sources[i], r.Unknown[k], r.Output, w)
			}
		}
	}
	if added == 0 {
		t.Error("no further word was masked: it says nothing")
	}
}

// TestSessionKeepsLinks: a link of somebody's own sentence is masked neither by a policy that masks
// all other words nor by the guide.
func TestSessionKeepsLinks(t *testing.T) {
	for _, model := range []stage.Name{SMLM, SMLMG} {
		for _, decoding := range []recipe.Decoding{recipe.Copied, recipe.GuidedDecoding} {
			q := untrained(t, model)
			q.Settings.Decoding = decoding
			if decoding == recipe.GuidedDecoding {
				q.Settings.Guided = recipe.Guided{Plausible: .02, Candidates: 1, MoreMasks: 6, Doubt: 1}
			}
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
				t.Errorf("%s, %s: masked as %q", model, decoding, got)
			}
			if out := done[0].Output; out[1] != "WWW.example.org/soup" || out[3] != "@cold" {
				t.Errorf("%s, %s: becomes %q", model, decoding, out)
			}
			if out := done[1].Output; !slices.Equal(out, []string{"a@b.example"}) {
				t.Errorf("%s, %s: an address becomes %q", model, decoding, out)
			}
		}
	}
}

// TestSessionCandidates: as many as asked for, the one written first, all of them spelt with the
// source's unknown words; and none where all words are predicted.
func TestSessionCandidates(t *testing.T) {
	for _, model := range []stage.Name{SMLM, SMLMG} {
		q := untrained(t, model)
		for _, n := range []int{1, 3} {
			q.Candidates = n
			sources, done := rewritten(t, q)
			for i, r := range done {
				if len(r.Candidates) != n {
					t.Errorf("%s: %d candidates, want %d", model, len(r.Candidates), n)
				}
				for k, c := range r.Candidates {
					if c.Written != (k == 0) || c.Written && !slices.Equal(c.Output, r.Output) {
						t.Errorf("%s: candidate %d, %q, of %q: written %t", model, k, c.Output, r.Output, c.Written)
					}
					for n, w := range sources[i] {
						if r.Masked[n] != corpus.MaskToken && c.Output[n] != w {
							t.Errorf("%s: candidate %d of %q is %q", model, k, sources[i], c.Output)
						}
					}
				}
			}
		}
	}
	q := untrained(t, SMLM)
	q.Candidates, q.Settings.Decoding = 2, recipe.Predicted
	_, err := Torch{}.OpenTransfer(t.Context(), q)
	if err == nil || !strings.Contains(err.Error(), "--decoding guided") {
		t.Errorf("predicted words have candidates: %v", err)
	}
}

// TestTriesMoreForCandidates: of a sentence that has too few candidates more fillings are tried, as
// often as is worth it; of one with enough, or without a mask, no more.
func TestTriesMoreForCandidates(t *testing.T) {
	var asked [][2]int // sentences and fillings of each
	s := &session{
		Request: TransferRequest{Candidates: 3, Draw: recipe.Guided{}},
		Vocab:   corpus.BuildVocab([][]corpus.Sentence{{strings.Fields("the soup was cold")}}, 50),
	}
	out := func(written bool, id int64) guided.Alternative {
		w := guided.Word{Origin: guided.Refilled, ID: id}
		return guided.Alternative{Output: guided.Output{Words: []guided.Word{w}}, Written: written}
	}
	kinds := []int{0, 0, 40, 4000} // so many fillings bring a second candidate, and twice as many a third
	s.Model = &transferModel{Others: func(
		_ context.Context, d corpus.Encoded, _ []guided.Output, how recipe.Guided, _ int,
	) ([][]guided.Alternative, error) {
		asked = append(asked, [2]int{len(d.IDs), how.Candidates})
		all := make([][]guided.Alternative, len(d.IDs))
		for i := range d.IDs {
			all[i] = []guided.Alternative{out(true, 0)}
			for k := range int64(2) {
				if d.Masks[i][0] && how.Candidates >= int(k+1)*kinds[d.IDs[i][0]] {
					all[i] = append(all[i], out(false, k+1))
				}
			}
		}
		return all, nil
	}}
	d := corpus.Encoded{
		IDs: [][]int64{{0}, {1}, {2}, {3}}, Styles: make([]int, 4), Asked: []int{1, 1, 1, 1},
		Masks: [][]bool{{true}, {false}, {true}, {true}},
	}
	refilled := out(true, 0).Output
	how := []guided.Output{refilled, {Words: []guided.Word{{Origin: guided.Kept}}}, refilled, refilled}
	for _, searches := range []bool{false, true} {
		asked, s.Model.Searches = nil, searches
		done := make([]Rewritten, 4)
		if err := s.addCandidates(t.Context(), d, make([][]string, 4), rewrittenWords{How: how}, done); err != nil {
			t.Fatal(err)
		}
		want, found := [][2]int{{4, 12}, {2, 48}, {2, 192}}, [][2]int{{3, 12}, {1, 0}, {3, 192}, {1, 192}}
		if searches {
			want, found = [][2]int{{4, 3}, {2, 12}}, [][2]int{{3, 3}, {1, 0}, {1, 12}, {1, 12}}
		}
		if !slices.Equal(asked, want) {
			t.Errorf("searches %t: sentences and fillings %v, want %v", searches, asked, want)
		}
		for i, r := range done {
			if got := [2]int{len(r.Candidates), r.Tried}; got != found[i] {
				t.Errorf("searches %t: sentence %d: candidates and fillings %v, want %v", searches, i, got, found[i])
			}
		}
	}
}

// TestSessionOfSlots: where a word becomes none or several, outputs and candidates say which word
// of the source each of theirs stands for, and words that the vocabulary lacks come out.
func TestSessionOfSlots(t *testing.T) {
	vocab := corpus.BuildVocab([][]corpus.Sentence{{strings.Fields("the soup was so cold hot very")}}, 50)
	id := func(w string) int64 { return vocab.ID(w) }
	sources := [][]string{strings.Fields("the zorblax was so cold")}
	at := func(place int, origin guided.Origin, of string) guided.Word {
		return guided.Word{ID: id(of), Place: place, Origin: origin, Asked: -1}
	}
	gone := guided.Word{ID: guided.Empty, Place: 3, Origin: guided.Deleted, Asked: -2}
	written := guided.Output{Words: []guided.Word{
		at(0, guided.Kept, "the"), at(1, guided.Kept, "zorblax"), at(2, guided.Kept, "was"), gone,
		at(4, guided.Refilled, "very"), at(4, guided.Inserted, "hot"),
	}}
	other := guided.Output{Words: []guided.Word{
		{ID: guided.Empty, Origin: guided.Deleted},
		at(1, guided.Restored, "zorblax"), at(2, guided.Kept, "was"),
		at(3, guided.Refilled, "so"), at(3, guided.Inserted, "very"), at(3, guided.Inserted, "very"), at(4, guided.Kept, "cold"),
	}}
	s := &session{
		Request: TransferRequest{Candidates: 2}, Vocab: vocab, On: func(fn func() error) error { return fn() },
		Masks: func(context.Context, corpus.Encoded) ([][]bool, error) {
			return [][]bool{{false, false, false, true, true}}, nil
		},
		Model: &transferModel{
			Copies: true, InPlace: true,
			Rewrite: func(context.Context, corpus.Encoded) ([][]int64, []guided.Output, error) {
				return [][]int64{written.IDs()}, []guided.Output{written}, nil
			},
			Others: func(context.Context, corpus.Encoded, []guided.Output, recipe.Guided, int) (
				[][]guided.Alternative, error,
			) {
				return [][]guided.Alternative{{{Output: written, Written: true}, {Output: other}}}, nil
			},
		},
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
	check(r.Output, r.Places, "the zorblax was very hot", 0, 1, 2, 4, 4)
	if len(r.Candidates) != 2 {
		t.Fatalf("%d candidates", len(r.Candidates))
	}
	first, second := r.Candidates[0], r.Candidates[1]
	check(first.Output, first.Places, "the zorblax was very hot", 0, 1, 2, 4, 4)
	check(second.Output, second.Places, "zorblax was so very very cold", 1, 2, 3, 3, 3, 4)
	for _, o := range []*Origins{r.Origins, first.Origins} {
		if got := o.Places(); !slices.Equal(got, []int{0, 1, 2, 3, 4, 4}) || !slices.Equal(o.spelled(), r.Output) ||
			o.Words[3] != (Word{Origin: guided.Deleted, P: math.Exp(-2)}) {
			t.Errorf("the words of %q are %+v, of places %v", r.Output, o.Words, got)
		}
	}

	// The same of words that are copied, without guided refill.
	s.Request.Candidates = 0
	ids := append(vocab.Encode(strings.Fields("the soup was")), guided.Empty, guided.Empty, id("very"), id("hot"))
	for _, copies := range []bool{true, false} {
		s.Model = &transferModel{
			Copies: copies, InPlace: true, Slots: 2,
			Rewrite: func(context.Context, corpus.Encoded) ([][]int64, []guided.Output, error) {
				return [][]int64{ids}, nil, nil
			},
		}
		if done, err = s.Rewrite(t.Context(), sources); err != nil {
			t.Fatal(err)
		}
		check(done[0].Output, done[0].Places, "the zorblax was very hot", 0, 1, 2, 4, 4)
	}
}

// A model of a newer program whose weights fit, with a shape that says more than this one knows, is
// not opened.
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
			r, err := loadTransferModel(q.Inputs, q.Settings, false)
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
