package rewrite

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/nlpodyssey/safetensors"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// encoderFolder is the folder of an export that HuggingFace's transformers reads.
const encoderFolder = "encoder"

// pretrainedShape is what model.json says of an SMLM that started from a pretrained encoder.
type pretrainedShape struct {
	Vocab int `json:"vocab"`
	recipe.SMLMShape
	Pretrained *recipe.PretrainedShape `json:"pretrained"`
}

// encoderShape returns the shape of a model that started from a pretrained encoder, nil of another.
func encoderShape(model string) (*pretrainedShape, error) {
	var c pretrainedShape
	if err := files.ReadJSON(filepath.Join(model, "model.json"), &c); err != nil || c.Pretrained == nil {
		return nil, err
	}
	return &c, nil
}

// exportEncoder writes a model over words as a folder that transformers reads: a BertForMaskedLM
// or, where words' vectors are narrower than states, an ElectraForMaskedLM. Whatever family the
// weights come from, these have the same layers. The tokenizer cuts at white space and knows the
// words.
func exportEncoder(dir, model, words string, c *pretrainedShape) error {
	if c.Pretrained.Embedding != c.Dim && c.Pretrained.Activation != recipe.GELU {
		return userr.New(userr.BadInput, "the model of %q cannot be exported, because transformers has no "+
			"ELECTRA head with the activation %q", model, c.Pretrained.Activation)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for name, value := range map[string]any{
		"config.json": c.huggingFace(), "tokenizer.json": wordTokenizer(words),
		"tokenizer_config.json": map[string]any{
			"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "<unk>", "mask_token": "<mask>", "pad_token": "<pad>",
		},
	} {
		text, err := json.MarshalIndent(value, "", "  ")
		if err != nil {
			return err
		}
		if err := files.WriteBytes(filepath.Join(dir, name), append(text, '\n')); err != nil {
			return err
		}
	}
	return exportEncoderTensors(filepath.Join(dir, "model.safetensors"), filepath.Join(model, "model.safetensors"), c)
}

// huggingFace is config.json of the folder.
func (c *pretrainedShape) huggingFace() map[string]any {
	config := map[string]any{
		"architectures": []string{"BertForMaskedLM"}, "model_type": "bert", "vocab_size": c.Vocab, "hidden_size": c.Dim,
		"num_hidden_layers": c.Layers, "num_attention_heads": c.Heads, "intermediate_size": c.FF,
		"hidden_act": c.Pretrained.Activation, "layer_norm_eps": c.Pretrained.Eps,
		"max_position_embeddings": c.Pretrained.Positions, "type_vocab_size": 1, "pad_token_id": 0,
	}
	if c.electra() {
		config["architectures"], config["model_type"] = []string{"ElectraForMaskedLM"}, "electra"
		config["embedding_size"] = c.Pretrained.Embedding
	}
	return config
}

func (c *pretrainedShape) electra() bool { return c.Pretrained.Embedding != c.Dim }

// wordTokenizer is tokenizer.json of a vocabulary, a word a line.
func wordTokenizer(words string) map[string]any {
	vocab := map[string]int{}
	for i, w := range strings.Split(strings.TrimSuffix(words, "\n"), "\n") {
		vocab[w] = i
	}
	return map[string]any{
		"version": "1.0", "truncation": nil, "padding": nil, "added_tokens": []any{}, "normalizer": nil,
		"pre_tokenizer": map[string]any{"type": "WhitespaceSplit"}, "post_processor": nil, "decoder": nil,
		"model": map[string]any{"type": "WordLevel", "vocab": vocab, "unk_token": "<unk>"},
	}
}

// toBERT are the names of the parts in BERT's layers; ELECTRA's head has others.
var (
	toBERT = strings.NewReplacer(
		"encoder.layers.", "bert.encoder.layer.", "self_attn.out_proj", "attention.output.dense",
		"norm1", "attention.output.LayerNorm", "linear1", "intermediate.dense", "linear2", "output.dense",
		"norm2", "output.LayerNorm",
		"encoder.norm", "bert.embeddings.LayerNorm", "encoder.positions", "bert.embeddings.position_embeddings.weight",
		"encoder.project", "bert.embeddings_project", "embedding.weight", "bert.embeddings.word_embeddings.weight",
		"head.dense", "cls.predictions.transform.dense", "head.norm", "cls.predictions.transform.LayerNorm",
		"out.bias", "cls.predictions.bias",
	)
	toELECTRA = strings.NewReplacer(
		"cls.predictions.transform", "generator_predictions", "cls.predictions.bias", "generator_lm_head.bias", "bert.", "electra.",
	)
)

// exportEncoderTensors writes the weights by the names of transformers. Queries, keys and values
// are tensors of their own there, and the vector of the first segment is zero: that of the folder
// is part of the positions'.
func exportEncoderTensors(to, from string, c *pretrainedShape) error {
	return files.Mapped(from, func(raw []byte) error {
		file, err := safetensors.Deserialize(raw)
		if err != nil {
			return fmt.Errorf("reading %q: %w", from, err)
		}
		out := map[string]safetensors.TensorView{}
		add := func(name string, shape []uint64, data []byte) {
			name = toBERT.Replace(name)
			if c.electra() {
				name = toELECTRA.Replace(name)
			}
			view, failed := safetensors.NewTensorView(safetensors.F32, shape, data)
			out[name], err = view, cmp.Or(err, failed)
		}
		for _, t := range file.Tensors() {
			name, shape, data := t.Name, t.TensorView.Shape(), t.TensorView.Data()
			layer, part, joined := strings.Cut(name, "self_attn.in_proj_")
			switch {
			case joined:
				shape = append([]uint64{shape[0] / 3}, shape[1:]...)
				for i, of := range []string{"query", "key", "value"} {
					third := len(data) / 3
					add(layer+"attention.self."+of+"."+part, shape, data[i*third:(i+1)*third])
				}
			case name == "encoder.positions":
				first := uint64(c.Pretrained.FirstPosition)
				add(name, []uint64{shape[0] - first, shape[1]}, data[4*first*shape[1]:])
			default:
				add(name, shape, data)
			}
		}
		width := uint64(c.Pretrained.Embedding)
		add("bert.embeddings.token_type_embeddings.weight", []uint64{1, width}, make([]byte, 4*width))
		if err != nil {
			return err
		}
		about := map[string]string{"format": "pt"} // transformers asks for it
		return files.Write(to, func(w io.Writer) error { return safetensors.SerializeToWriter(out, about, w) })
	})
}
