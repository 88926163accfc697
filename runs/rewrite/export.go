package rewrite

import (
	_ "embed" // the scripts
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/nlpodyssey/safetensors"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// The scripts of an export: load.py is the one of the model's kind.
var (
	//go:embed pytorch/smlm.py
	smlmPy []byte
	//go:embed pytorch/smlmg.py
	smlmgPy []byte
	//go:embed pytorch/divlstm.py
	divlstmPy []byte
)

// Export writes trained models, from the folders of a request's inputs, for PyTorch: weights,
// shapes, vocabulary, and scripts that load them.
func Export(dir string, inputs map[string]string, labels [2]string) error {
	c, err := export(inputs, labels)
	if err != nil {
		return err
	}
	about, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	words, err := os.ReadFile(filepath.Join(inputs["vocab"], "vocab.txt"))
	if err != nil {
		return err
	}
	texts := map[string][]byte{
		"config.json": append(about, '\n'), "vocab.txt": words, "load.py": smlmPy, "divlstm.py": divlstmPy,
	}
	if c.Kind == stages.SMLMG {
		texts["load.py"] = smlmgPy
	}
	for name, text := range texts {
		if err := files.WriteBytes(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	for name, from := range map[string]string{"smlm.safetensors": "model", "divlstm.safetensors": "divlstm"} {
		if err := exportTensors(filepath.Join(dir, name), inputs[from]); err != nil {
			return err
		}
	}
	return nil
}

// toPyTorch are the tensors whose names differ: the Diversity-LSTM's attention is a Sequential in
// its script, and of its latent vector the mean alone is read.
var toPyTorch = strings.NewReplacer("attention.hidden.", "attention.0.", "attention.query.", "attention.2.",
	"latent.mu.", "latent.")

// exportTensors writes the weights of a stage by the names that a script's layers have.
func exportTensors(to, dir string) error {
	from := filepath.Join(dir, "model.safetensors")
	raw, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	file, err := safetensors.Deserialize(raw)
	if err != nil {
		return fmt.Errorf("reading %q: %w", from, err)
	}
	tensors := map[string]safetensors.TensorView{}
	for _, t := range file.Tensors() {
		if !strings.HasPrefix(t.Name, "latent.logvar.") {
			tensors[toPyTorch.Replace(t.Name)] = t.TensorView
		}
	}
	return files.Write(to, func(w io.Writer) error { return safetensors.SerializeToWriter(tensors, nil, w) })
}

// exported is config.json of an export: what the scripts hand to PyTorch's own layers, by these
// layers' names.
type exported struct {
	Kind    stage.Kind      `json:"kind"`   // smlm, smlm-g or smlm-ft
	Labels  [2]string       `json:"labels"` // of styles 0 and 1
	SMLM    exportedSMLM    `json:"smlm"`
	Codes   exportedCodes   `json:"codes"`
	First   int             `json:"first"` // position that predicts the first word
	DivLSTM exportedDivLSTM `json:"divlstm"`
	Start   []string        `json:"start"` // tokens in front of the words that the Diversity-LSTM reads
}

type exportedSMLM struct {
	Vocab         int  `json:"vocab"`
	Layers        int  `json:"layers"`
	DecoderLayers int  `json:"decoder_layers,omitempty"` // of SMLM-G
	Dim           int  `json:"d_model"`
	Heads         int  `json:"nhead"`
	FF            int  `json:"dim_feedforward"`
	BatchFirst    bool `json:"batch_first"`
}

// exportedCodes are the control codes around the words; {source} and {target} stand for styles.
type exportedCodes struct {
	Front []string `json:"front"`
	Back  []string `json:"back"`
}

type exportedDivLSTM struct {
	Vocab         int  `json:"vocab"`
	Embedding     int  `json:"embedding"`
	Latent        int  `json:"latent"` // 0: none
	Hidden        int  `json:"hidden"`
	Attention     int  `json:"attention"`
	Bidirectional bool `json:"bidirectional"`
}

// export reads the shapes of trained models.
func export(inputs map[string]string, labels [2]string) (*exported, error) {
	trained, err := stage.ReadRecord(filepath.Join(inputs["model"], "stage.json"))
	if err != nil {
		return nil, err
	}
	var model struct {
		Vocab         int `json:"vocab"`
		Layers        int `json:"layers"`
		DecoderLayers int `json:"decoder_layers"`
		Dim           int `json:"dim"`
		Heads         int `json:"heads"`
		FF            int `json:"ff"`
		Frame         struct {
			NoSource bool `json:"no_source"`
			Cls      bool `json:"cls"`
			Shift    bool `json:"shift"`
		} `json:"frame"`
	}
	var divlstm struct {
		exportedDivLSTM
		StartToken bool `json:"start_token"`
	}
	for name, shape := range map[string]any{"model": &model, "divlstm": &divlstm} {
		if err := files.ReadJSON(filepath.Join(inputs[name], "model.json"), shape); err != nil {
			return nil, err
		}
	}
	c := &exported{
		Kind: trained.Kind, Labels: labels, DivLSTM: divlstm.exportedDivLSTM, Start: []string{},
		SMLM: exportedSMLM{
			Vocab: model.Vocab, Layers: model.Layers, DecoderLayers: model.DecoderLayers,
			Dim: model.Dim, Heads: model.Heads, FF: model.FF, BatchFirst: true,
		},
		Codes: exportedCodes{Front: []string{}, Back: []string{"<dst:{target}>"}},
	}
	words, err := corpus.LoadVocab(filepath.Join(inputs["vocab"], "vocab.txt"))
	if err != nil {
		return nil, err
	}
	if divlstm.StartToken {
		c.Start = []string{words.Word(corpus.BosID)}
	}
	if model.Frame.Cls {
		c.Codes.Front, c.First = append(c.Codes.Front, words.Word(corpus.PadID)), 1 // as smlm.ControlCodes has it
	}
	if model.Frame.Shift {
		c.Codes.Front = append(c.Codes.Front, words.Word(corpus.BosID))
	}
	if !model.Frame.NoSource {
		c.Codes.Back = append([]string{"<src:{source}>"}, c.Codes.Back...)
	}
	return c, nil
}
