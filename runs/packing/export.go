package packing

import (
	_ "embed" // the script
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/internal/atomicfile"
	"github.com/smlm-exp/smlm-exp/runs/kind"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

//go:embed load.py
var loadPy []byte

// exported is config.json of an export: shapes by the names of the keys of an experiment file.
type exported struct {
	Kind    kind.Kind       `json:"kind"`   // smlm, smlm-g or smlm-ft
	Labels  [2]string       `json:"labels"` // of styles 0 and 1
	SMLM    exportedSMLM    `json:"smlm"`
	DivLSTM json.RawMessage `json:"divlstm"`
}

type exportedSMLM struct {
	Vocab         int  `json:"vocab"`
	Dim           int  `json:"dim"`
	Layers        int  `json:"layers"`
	Heads         int  `json:"heads"`
	FF            int  `json:"ff"`
	DecoderLayers int  `json:"decoder_layers"` // of SMLM-G, 0 of the others
	SourceToken   bool `json:"source_token"`
	ClsToken      bool `json:"cls_token"`
	ShiftTargets  bool `json:"shift_targets"`
}

// Export writes trained models, from the folders of a request's inputs, for PyTorch: weights,
// shapes, vocabulary, and a script that loads them.
func Export(dir string, inputs map[string]string, labels [2]string) error {
	trained, err := workspace.ReadRecord(filepath.Join(inputs["model"], "stage.json"))
	if err != nil {
		return err
	}
	c := exported{Kind: trained.Kind, Labels: labels}
	var codes struct {
		Frame struct {
			NoSource bool `json:"no_source"`
			Cls      bool `json:"cls"`
			Shift    bool `json:"shift"`
		} `json:"frame"`
	}
	text, err := os.ReadFile(filepath.Join(inputs["model"], "model.json"))
	if err == nil {
		err = json.Unmarshal(text, &c.SMLM)
	}
	if err == nil {
		err = json.Unmarshal(text, &codes)
	}
	if err == nil {
		c.DivLSTM, err = os.ReadFile(filepath.Join(inputs["divlstm"], "model.json"))
	}
	if err != nil {
		return err
	}
	c.SMLM.SourceToken, c.SMLM.ClsToken, c.SMLM.ShiftTargets = !codes.Frame.NoSource, codes.Frame.Cls, codes.Frame.Shift
	about, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	for name, from := range map[string]string{
		"smlm.safetensors":    filepath.Join(inputs["model"], "model.safetensors"),
		"divlstm.safetensors": filepath.Join(inputs["divlstm"], "model.safetensors"),
		"vocab.txt":           filepath.Join(inputs["vocab"], "vocab.txt"),
	} {
		if err := copyFile(filepath.Join(dir, name), from); err != nil {
			return err
		}
	}
	for name, text := range map[string][]byte{"config.json": append(about, '\n'), "load.py": loadPy} {
		if err := atomicfile.WriteBytes(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(to, from string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	return atomicfile.Write(to, func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
}
