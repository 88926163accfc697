package stages_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// TestONNX runs docs/export_onnx.py, which writes an export as ONNX and compares logits.
func TestONNX(t *testing.T) {
	const modules = "torch, safetensors, onnx, onnxscript, onnxruntime"
	python := pythonWith(modules)
	if python == "" {
		t.Skipf("no Python here has %s: name one with BENCH_PYTHON", modules)
	}
	program, err := filepath.Abs("../../docs/export_onnx.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, model := range []stage.Name{stages.SMLM, stages.SMLMG} {
		t.Run(string(model), func(t *testing.T) {
			q := stages.UntrainedAs(t, model, recipe.ControlCodes{SourceToken: true})
			shape := divlstm.Config{
				DivLSTMShape:  recipe.DivLSTMShape{Embedding: 8, Hidden: 8, Attention: 8, Bidirectional: true},
				DivLSTMInputs: recipe.DivLSTMInputs{Latent: 4},
			}
			shapeDivLSTM(t, q.Inputs, shape)
			dir := t.TempDir()
			if err := rewrite.Export(dir, q.Inputs, corpus.Styles{"gloomy", "cheerful"}); err != nil {
				t.Fatal(err)
			}
			run := exec.Command(python, program)
			run.Dir, run.Env = dir, append(os.Environ(), "PYTHONPATH="+dir)
			if out, err := run.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, name := range []string{"smlm.onnx", "divlstm.onnx"} {
				if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
