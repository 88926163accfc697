package stages_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/smlm"
)

// pretrainedShapes are those of models that may be exported: of BERT's kind, and with vectors
// narrower than states, as ELECTRA's.
var pretrainedShapes = map[string]recipe.PretrainedShape{
	"bert":    {Embedding: 12, Positions: 20, Activation: recipe.GELUNew, Eps: 1e-6},
	"roberta": {Embedding: 12, Positions: 20, FirstPosition: 2, Activation: recipe.GELU, Eps: 1e-5},
	"electra": {Embedding: 8, Positions: 20, Activation: recipe.GELU, Eps: 1e-12},
}

// shapeSMLM writes an untrained SMLM of a pretrained encoder's shape in the place of the one that
// is there.
func shapeSMLM(t *testing.T, in map[string]string, pre recipe.PretrainedShape) {
	t.Helper()
	err := torch.Run(func() error {
		v, err := corpus.LoadVocab(filepath.Join(in["vocab"], "vocab.txt"))
		if err != nil {
			return err
		}
		m := smlm.New(smlm.Config{
			Vocab: v.Len(), SMLMShape: recipe.SMLMShape{Layers: 2, Heads: 3, Dim: 12, FF: 16}, Pretrained: &pre,
			ControlCodes: recipe.ControlCodes{SourceToken: true}, TrainEmbeddings: true,
		})
		defer m.Params.Free()
		return cmp.Or(m.Params.Save(filepath.Join(in["model"], "model.safetensors")),
			stages.WriteJSON(in["model"], "model.json", m.Config))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestExportPretrained: the folder of an exported model has the tensors that transformers writes of
// one of its class, by those of pretrained/testdata.
func TestExportPretrained(t *testing.T) {
	for _, name := range []string{"bert", "roberta"} { // which both become a BERT
		q := stages.UntrainedAs(t, stages.SMLM, recipe.ControlCodes{SourceToken: true})
		shapeSMLM(t, q.Inputs, pretrainedShapes[name])
		dir := t.TempDir()
		if err := rewrite.Export(dir, q.Inputs, corpus.Styles{"gloomy", "cheerful"}); err != nil {
			t.Fatal(err)
		}
		got := tensorsOf(t, filepath.Join(dir, "encoder", "model.safetensors"))
		want := tensorsOf(t, filepath.Join("..", "..", "pretrained", "testdata", "bert", "model.safetensors"))
		if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
			t.Errorf("%s: tensors\n%q, want\n%q", name, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
		}
		if rows := got["bert.embeddings.position_embeddings.weight"]; len(rows) != 2 || rows[0] != 20 {
			t.Errorf("%s: positions %v, want 20", name, rows)
		}
	}
}

func tensorsOf(t *testing.T, path string) map[string][]uint64 {
	t.Helper()
	file := testkit.OpenTensors(t, path)
	shapes := map[string][]uint64{}
	for _, tensor := range file.Tensors() {
		shapes[tensor.Name] = tensor.TensorView.Shape()
	}
	return shapes
}

// askedTokens has the tokenizer of the folder read what the script's own function reads.
const askedTokens = `
from transformers import AutoTokenizer
text = " ".join([*masked, *(code.format(source=0, target=1) for code in load.CODES["back"])])
assert AutoTokenizer.from_pretrained(sys.argv[1] + "/encoder")(text)["input_ids"] == ids[0].tolist()
`

// TestExportPretrainedLoads: transformers gives the exported folder the logits that the model has
// here, and its tokenizer reads the words and codes.
func TestExportPretrainedLoads(t *testing.T) {
	python := pythonWith("torch, safetensors, transformers")
	if python == "" {
		t.Skip("no Python here has torch, safetensors and transformers: name one with BENCH_PYTHON")
	}
	for name, pre := range pretrainedShapes {
		t.Run(name, func(t *testing.T) {
			q := stages.UntrainedAs(t, stages.SMLM, recipe.ControlCodes{SourceToken: true})
			shapeSMLM(t, q.Inputs, pre)
			dir := t.TempDir()
			if err := rewrite.Export(dir, q.Inputs, corpus.Styles{"gloomy", "cheerful"}); err != nil {
				t.Fatal(err)
			}
			const words, masked = "the soup was cold .", "the <mask> was <mask> ."
			text, err := exec.Command(python, "-c", asked+askedTokens, dir, words, masked).Output()
			if err != nil {
				t.Fatal(err, stderrOf(err))
			}
			var theirs struct{ Logits []float64 }
			if err := json.Unmarshal(text, &theirs); err != nil {
				t.Fatal(err)
			}
			var logits []float32
			err = torch.Run(func() error {
				_, _, logits, _, err = ours(t, q.Inputs, stages.SMLM, strings.Fields(words))
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			near(t, "logits", logits, theirs.Logits)
		})
	}
}

func stderrOf(err error) string {
	if failed, ok := err.(*exec.ExitError); ok {
		return string(failed.Stderr)
	}
	return ""
}
