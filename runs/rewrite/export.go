package rewrite

import (
	_ "embed" // embeds the scripts below
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
// shapes, vocabulary, and scripts that load them. It refuses a model whose shape has a field that
// its script does not know, because the script would build a different model.
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
	for _, of := range []struct {
		input  string
		script []byte
		to     *json.RawMessage
	}{{"model", load, &c.SMLM}, {"divlstm", divlstmPy, &c.DivLSTM}} {
		path := filepath.Join(inputs[of.input], "model.json")
		if *of.to, err = os.ReadFile(path); err != nil {
			return err
		}
		field, err := unknownTo(of.script, *of.to)
		if err != nil {
			return fmt.Errorf("exporting the model of %q: %w", path, err)
		}
		if field != "" {
			return userr.New(userr.BadInput, "the model of %q cannot be exported, because its PyTorch script "+
				"does not know %q in its shape", path, field)
		}
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

// constructor matches the arguments of the model's __init__ in a script. These arguments are the
// shape fields that the script knows.
var constructor = regexp.MustCompile(`def __init__\(\s*self, \*, ([^)]*)\)`)

// unknownTo returns a field of the shape that is not an argument of the script's model, or "" if
// there is none.
func unknownTo(script []byte, shape json.RawMessage) (string, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(shape, &fields); err != nil {
		return "", err
	}
	known := strings.FieldsFunc(string(constructor.FindSubmatch(script)[1]), func(r rune) bool {
		return r == ',' || r == ' ' || r == '\n'
	})
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if !slices.ContainsFunc(known, func(argument string) bool {
			name, _, _ := strings.Cut(argument, "=")
			return name == field
		}) {
			return field, nil
		}
	}
	return "", nil
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
