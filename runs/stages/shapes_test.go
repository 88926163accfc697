package stages

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/lm"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/smlm"
)

// TestNumbers checks that the method Numbers of a shape returns the number of weights of a model
// that has this shape.
func TestNumbers(t *testing.T) {
	type made struct {
		name   string
		shape  modelShape
		params *nn.Params
	}
	err := torch.Run(func() error {
		var all []made
		c := smlm.Config{Vocab: 31, SMLMShape: recipe.SMLMShape{Layers: 3, Heads: 2, Dim: 6, FF: 10}}
		all = append(all, made{"SMLM", c, smlm.New(c).Params})
		c.DecoderLayers = 2
		all = append(all, made{"SMLM-G", c, smlm.NewGenerator(c).Params})
		for _, both := range []bool{false, true} {
			c := divlstm.Config{
				Vocab:        31,
				DivLSTMShape: recipe.DivLSTMShape{Embedding: 5, Hidden: 4, Attention: 7, Bidirectional: both},
			}
			all = append(all, made{"Diversity-LSTM", c, divlstm.New(c).Params})
		}
		cnn := classifier.CNNConfig{
			Vocab: 31, CNNShape: recipe.CNNShape{Embedding: 5, Filters: 4, Widths: []int{1, 3}},
		}
		all = append(all, made{"CNN", cnn, classifier.NewCNN(cnn).Params})
		bilstm := classifier.BiLSTMConfig{Vocab: 31, BiLSTMShape: recipe.BiLSTMShape{Embedding: 5, Hidden: 4}}
		all = append(all, made{"Bi-LSTM", bilstm, classifier.NewBiLSTM(bilstm).Params})
		judge := lm.Config{First: 9, Known: 3, LMShape: recipe.LMShape{Embedding: 5, Hidden: 4}}
		all = append(all, made{"language model", judge, lm.New(judge).Params})
		for _, m := range all {
			if err := m.shape.Check(); err != nil || m.shape.Numbers() != float64(m.params.Count()) {
				t.Errorf("%s: %v weights by its shape, which has %d (%v)", m.name, m.shape.Numbers(), m.params.Count(), err)
			}
			m.params.Free()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestStrangeModels: OpenTransfer refuses a model with an impossible shape, and its error is a
// single line. A model file from someone else may have such a shape.
func TestStrangeModels(t *testing.T) {
	const most = "model.json"
	r := untrained(t, SMLM)
	r.Settings.Decoding = recipe.GuidedDecoding
	r.Settings.Guided = experiment.DefaultSettings().Guided.Guided
	for _, c := range []struct {
		of, key string
		value   any
		want    string
	}{
		{"model", "heads", 0, "heads 0: it must be from 1"},
		{"model", "heads", 3, "dim 8 and heads 3, which do not divide it"},
		{"model", "heads", 100, "dim 8 and heads 100, which do not divide it"},
		{"model", "heads", -2, "heads -2"},
		{"model", "layers", 0, "layers 0"},
		{"model", "layers", 9, "has room for"},
		{"model", "dim", 16384, "has room for"},
		{"model", "ff", 1 << 40, "ff 1099511627776"},
		{"model", "vocab", 10, "but the vocabulary has"},
		{"model", "decoder_layers", -1, "decoder_layers -1"},
		{"divlstm", "hidden", 0, "hidden 0"},
		{"divlstm", "attention", 20000, "attention 20000"},
		{"divlstm", "vocab", 10, "but the vocabulary has"},
		{"guide", "filters", 0, "filters 0"},
		{"guide", "widths", []int{}, "widths"},
		{"guide", "widths", []int{1 << 30}, "too large"},
		{"guide", "vocab", 10, "but the vocabulary has"},
	} {
		path := filepath.Join(r.Inputs[c.of], most)
		sound, err := os.ReadFile(path)
		var shape map[string]any
		if err == nil {
			err = json.Unmarshal(sound, &shape)
		}
		if err != nil {
			t.Fatal(err)
		}
		shape[c.key] = c.value
		text, err := json.Marshal(shape)
		if err != nil {
			t.Fatal(err)
		}
		testkit.WriteFile(t, path, string(text))
		s, err := Torch{}.OpenTransfer(t.Context(), r)
		testkit.WriteFile(t, path, string(sound))
		if err == nil {
			s.Close()
		}
		if err == nil || userr.CodeOf(err) != userr.BadInput || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s %s %v: %v, want %q", c.of, c.key, c.value, err, c.want)
		}
	}
}

// TestNoNumbers: weights that are NaN or infinite are refused.
func TestNoNumbers(t *testing.T) {
	r := untrained(t, SMLM)
	r.Settings.Decoding = recipe.GuidedDecoding
	r.Settings.Guided = experiment.DefaultSettings().Guided.Guided
	for _, of := range []string{"model", "divlstm", "guide"} {
		for _, bits := range []string{"\x00\x00\xc0\x7f", "\x00\x00\x80\xff"} {
			path := filepath.Join(r.Inputs[of], "model.safetensors")
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			sound := string(raw)
			copy(raw[len(raw)-4:], bits)
			testkit.WriteFile(t, path, string(raw))
			_, err = Torch{}.OpenTransfer(t.Context(), r)
			testkit.WantError(t, err, userr.BadInput, "contain values that are not numbers")
			testkit.WriteFile(t, path, sound)
		}
	}
}
