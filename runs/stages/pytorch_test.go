package stages_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/smlm"
)

// The constant "asked" is a Python program that uses the scripts of an export to compute what the
// test compares. From a sentence, it computes the style logits and the attention of the
// Diversity-LSTM. From the masked sentence, it computes the logits of an SMLM with target style 1,
// or the mean loss of an SMLM-G over the words and the end token.
const asked = `
import json, sys
sys.path.insert(0, sys.argv[1])
import divlstm, load, torch
torch.set_num_threads(1)
words, masked = sys.argv[2].split(), sys.argv[3].split()
out = {}
with torch.no_grad():
    style, alpha = divlstm.divlstm(load.ids_of(words))
    out["style"], out["alpha"] = style[0].tolist(), alpha[0].tolist()
    if load.CONFIG["model"] == "smlm-g":
        ids = load.ids_of(masked, load.CODES, source=0, target=0)
        logits = load.smlm(ids, load.ids_of(["<bos>"] + words))[0]
        out["loss"] = torch.nn.functional.cross_entropy(logits, load.ids_of(words + ["<eos>"])[0]).item()
    else:
        ids = load.ids_of(masked, load.CODES, source=0, target=1)
        out["logits"] = load.smlm(ids)[0, :len(words)].flatten().tolist()
json.dump(out, sys.stdout)
`

// TestExportLoads: an exported model gives the same numbers in plain PyTorch as in this program,
// with and without a source token in the input.
func TestExportLoads(t *testing.T) {
	python := testkit.PyTorch()
	if python == "" {
		t.Skip("no Python here has torch and safetensors: name one with BENCH_PYTHON")
	}
	for name, c := range map[string]struct {
		model stage.Name
		codes recipe.ControlCodes
		div   divlstm.Config // shape of the Diversity-LSTM, without the size of the vocabulary
	}{
		"smlm": {stages.SMLM, recipe.ControlCodes{SourceToken: true}, divlstm.Config{
			DivLSTMShape: recipe.DivLSTMShape{Embedding: 8, Hidden: 8, Attention: 8},
		}},
		"smlm-g": {stages.SMLMG, recipe.ControlCodes{}, divlstm.Config{
			DivLSTMShape: recipe.DivLSTMShape{Embedding: 4, Hidden: 8, Attention: 4, Bidirectional: true},
		}},
		"smlm-ft": {
			stages.SMLMFT,
			recipe.ControlCodes{},
			divlstm.Config{
				DivLSTMShape: recipe.DivLSTMShape{Embedding: 8, Hidden: 4, Attention: 8},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			q := stages.UntrainedAs(t, c.model, c.codes)
			shapeDivLSTM(t, q.Inputs, c.div)
			dir := t.TempDir()
			if err := rewrite.Export(dir, q.Inputs, corpus.Styles{"gloomy", "cheerful"}); err != nil {
				t.Fatal(err)
			}
			const words, masked = "the soup was cold .", "the <mask> was <mask> ."
			text, err := exec.Command(python, "-c", asked, dir, words, masked).Output()
			if err != nil {
				t.Fatal(err)
			}
			var theirs struct {
				Style, Alpha, Logits []float64
				Loss                 float64
			}
			if err := json.Unmarshal(text, &theirs); err != nil {
				t.Fatal(err)
			}
			var style, alpha, logits []float32
			loss := 0.0
			err = torch.Run(func() error {
				style, alpha, logits, loss, err = ours(t, q.Inputs, c.model, strings.Fields(words))
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			near(t, "style", style, theirs.Style)
			near(t, "attention", alpha, theirs.Alpha)
			near(t, "logits", logits, theirs.Logits)
			if math.Abs(loss-theirs.Loss) > 1e-4 {
				t.Errorf("the loss is %v in PyTorch and %v here", theirs.Loss, loss)
			}
			for _, call := range [][]string{{"load.py", masked, "1"}, {"divlstm.py", words}} {
				script := append([]string{filepath.Join(dir, call[0])}, call[1:]...)
				if out, err := exec.Command(python, script...).CombinedOutput(); err != nil || len(out) == 0 {
					t.Errorf("%s: %v\n%s", call, err, out)
				}
			}
		})
	}
}

// TestScriptsKnowShapes checks that the arguments of an export's scripts fit the fields of a
// model's shape. Each field without omitempty must be an argument, and each argument must be a
// field. A field with omitempty need not be an argument, because it is rarely written. An SMLM from
// a pretrained encoder is not exported.
func TestScriptsKnowShapes(t *testing.T) {
	labels := corpus.Styles{"gloomy", "cheerful"}
	for _, model := range []stage.Name{stages.SMLM, stages.SMLMG} {
		q := stages.UntrainedAs(t, model, recipe.ControlCodes{SourceToken: true})
		dir := t.TempDir()
		if err := rewrite.Export(dir, q.Inputs, labels); err != nil {
			t.Fatal(err)
		}
		for script, shape := range map[string]any{"load.py": smlm.Config{}, "divlstm.py": divlstm.Config{}} {
			text, err := os.ReadFile(filepath.Join(dir, script))
			if err != nil {
				t.Fatal(err)
			}
			_, arguments, _ := strings.Cut(string(text), "self, *,")
			arguments, _, _ = strings.Cut(arguments, ")")
			known := strings.FieldsFunc(arguments, func(r rune) bool { return strings.ContainsRune(", \n", r) })
			always, all := fieldsOf(shape)
			for _, field := range always {
				if !slices.Contains(known, field) {
					t.Errorf("%s of %s does not take %s of the shape", script, model, field)
				}
			}
			for _, argument := range known {
				if name, _, _ := strings.Cut(argument, "="); !slices.Contains(all, name) {
					t.Errorf("%s of %s takes %s, which the shape does not have", script, model, name)
				}
			}
		}
		path := filepath.Join(q.Inputs["model"], "model.json")
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, bytes.Replace(text, []byte("{"), []byte(`{"pretrained": {},`), 1), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		testkit.WantError(t, rewrite.Export(dir, q.Inputs, labels), userr.BadInput, path, "from a pretrained encoder")
	}
}

// fieldsOf returns the JSON names of the fields of a model's shape. The result "always" has the
// fields that are always written, and the result "all" has every field.
func fieldsOf(shape any) (always, all []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeOf(shape)) {
		if f.Anonymous {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if all = append(all, name); options == "" {
			always = append(always, name)
		}
	}
	return always, all
}

// shapeDivLSTM replaces the Diversity-LSTM among the inputs by an untrained one with the given
// shape.
func shapeDivLSTM(t *testing.T, in map[string]string, c divlstm.Config) {
	t.Helper()
	err := torch.Run(func() error {
		v, err := corpus.LoadVocab(filepath.Join(in["vocab"], "vocab.txt"))
		if err != nil {
			return err
		}
		c.Vocab = v.Len()
		m := divlstm.New(c)
		defer m.Params.Free()
		return cmp.Or(m.Params.Save(filepath.Join(in["divlstm"], "model.safetensors")),
			stages.WriteJSON(in["divlstm"], "model.json", m.Config))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The function ours computes with this program what the Python program computes. The second and
// fourth words are masked.
func ours(
	t *testing.T, in map[string]string, model stage.Name, words []string,
) (style, alpha, logits []float32, loss float64, err error) {
	t.Helper()
	v, err := corpus.LoadVocab(filepath.Join(in["vocab"], "vocab.txt"))
	if err != nil {
		return
	}
	ids := v.EncodeAll([][]string{words})
	div, err := stages.LoadDivLSTM(in["divlstm"])
	if err != nil {
		return
	}
	defer div.Params.Free()
	d := corpus.Encoded{
		IDs: ids, Styles: []int{0}, Masks: [][]bool{{false, true, false, true, false}},
	}
	err = torch.NoGrad(func() error {
		out := div.Forward(torch.FromInts(ids[0], 1, int64(len(words))), false)
		style, alpha = out.Logits.Floats(), out.Attention.Floats()
		if model == stages.SMLMG {
			return nil
		}
		m, err := stages.LoadSMLM(in["model"])
		if err != nil {
			return err
		}
		defer m.Params.Free()
		codes := m.Config.ControlCodes
		read := v.Encode(corpus.Masked(words, d.Masks[0], corpus.MaskToken))
		if codes.SourceToken {
			read = append(read, corpus.SrcID(0))
		}
		read = append(read, corpus.DstID(1))
		states := m.States(torch.FromInts(read, 1, int64(len(read))), false)
		for i, name := range m.Params.Names() {
			switch name {
			case "out.weight", "embedding.weight": // a pretrained encoder uses its embedding as output layer
				if name == "embedding.weight" && m.Config.Pretrained == nil {
					continue
				}
				states = states.Reshape(-1, m.Params.All()[i].Size(1)).MatMul(m.Params.All()[i].Transpose(0, 1))
			case "out.bias":
				states = states.Add(m.Params.All()[i])
			}
		}
		logits = states.Floats()
		return nil
	})
	if err != nil || model != stages.SMLMG {
		return
	}
	g, err := stages.LoadGenerator(in["model"])
	if err != nil {
		return
	}
	defer g.Params.Free()
	val, err := g.Evaluate(t.Context(), d)
	return style, alpha, nil, val.Loss, err
}

func near(t *testing.T, what string, got []float32, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers here and %d in PyTorch", what, len(got), len(want))
	}
	for i, x := range want {
		if math.Abs(float64(got[i])-x) > 1e-4 {
			t.Fatalf("%s: number %d is %v here and %v in PyTorch", what, i, got[i], x)
		}
	}
}
