package rewrite

import (
	_ "embed" // embeds the scripts below
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/nlpodyssey/safetensors"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// The scripts of an export. The file load.py of an export is smlmgPy for SMLM-G, and smlmPy for
// other models.
var (
	//go:embed pytorch/smlm.py
	smlmPy []byte
	//go:embed pytorch/smlmg.py
	smlmgPy []byte
	//go:embed pytorch/divlstm.py
	divlstmPy []byte
)

// The type exported is the content of config.json in an export. The fields SMLM and DivLSTM have
// the unchanged model.json of the transfer model and of the Diversity-LSTM.
type exported struct {
	Model   stage.Name      `json:"model"` // smlm, smlm-g or smlm-ft
	Labels  corpus.Styles   `json:"labels"`
	SMLM    json.RawMessage `json:"smlm"`
	DivLSTM json.RawMessage `json:"divlstm"`
}

// Export writes trained models, from the folders in a request's inputs, for PyTorch: weights,
// shapes, vocabulary, and scripts that load them. It refuses an SMLM from a pretrained encoder,
// because the scripts cannot build it.
func Export(dir string, inputs map[string]string, labels corpus.Styles) error {
	trained, err := stage.ReadRecord(filepath.Join(inputs["model"], "stage.json"))
	if err != nil {
		return err
	}
	var load []byte
	switch trained.Name {
	case stages.SMLM, stages.SMLMFT:
		load = smlmPy
	case stages.SMLMG:
		load = smlmgPy
	default:
		return userr.New(userr.BadInput, "%s cannot be exported, because there is no PyTorch script for it", trained.Name)
	}
	c := exported{Model: trained.Name, Labels: labels}
	path := filepath.Join(inputs["model"], "model.json")
	if c.SMLM, err = os.ReadFile(path); err != nil {
		return err
	}
	if c.DivLSTM, err = os.ReadFile(filepath.Join(inputs["divlstm"], "model.json")); err != nil {
		return err
	}
	var shape struct{ Pretrained any }
	if err := json.Unmarshal(c.SMLM, &shape); err != nil {
		return fmt.Errorf("exporting the model of %q: %w", path, err)
	}
	if shape.Pretrained != nil {
		return userr.New(userr.BadInput, "the model of %q cannot be exported, because there is no PyTorch script for "+
			"an SMLM from a pretrained encoder", path)
	}
	about, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	words, err := os.ReadFile(filepath.Join(inputs["vocab"], "vocab.txt"))
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{
		"config.json": append(about, '\n'), "vocab.txt": words, "load.py": load, "divlstm.py": divlstmPy,
	} {
		if err := files.WriteBytes(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	if err := exportTensors(filepath.Join(dir, "divlstm.safetensors"), inputs["divlstm"]); err != nil {
		return err
	}
	return exportTensors(filepath.Join(dir, "smlm.safetensors"), inputs["model"])
}

// toPyTorch renames the tensors of the attention. In the script, the attention is a Sequential,
// which numbers its layers.
var toPyTorch = strings.NewReplacer("attention.hidden.", "attention.0.", "attention.query.", "attention.2.")

// exportTensors writes the weights of a stage under the names of the script's layers.
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
		tensors[toPyTorch.Replace(t.Name)] = t.TensorView
	}
	return files.Write(to, func(w io.Writer) error { return safetensors.SerializeToWriter(tensors, nil, w) })
}
