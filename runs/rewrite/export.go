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

	"github.com/smlm-exp/smlm-exp/internal/files"
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
