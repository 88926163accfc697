package folder

import (
	"errors"
	"io/fs"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Config is a model's configuration from config.json.
type Config struct {
	Vocab int // number of pieces with a vector
	recipe.SMLMShape
	recipe.PretrainedShape
	Types int // number of segment types; all text belongs to the first one

	tokenizer string // the class of the tokenizer, or ""
}

const (
	configFile = "config.json"
	// maxConfig is the maximum size of config.json. The file usually has a few kB, but it is larger
	// if it lists class labels.
	maxConfig = 4 << 20

	modelType = "bert"
)

type configJSON struct {
	ModelType      string `json:"model_type"`
	TokenizerClass string `json:"tokenizer_class"`

	VocabSize             int      `json:"vocab_size"`
	HiddenSize            int      `json:"hidden_size"`
	NumHiddenLayers       int      `json:"num_hidden_layers"`
	NumAttentionHeads     int      `json:"num_attention_heads"`
	IntermediateSize      int      `json:"intermediate_size"`
	MaxPositionEmbeddings int      `json:"max_position_embeddings"`
	TypeVocabSize         int      `json:"type_vocab_size"`
	HiddenAct             string   `json:"hidden_act"`
	LayerNormEps          *float64 `json:"layer_norm_eps"`
	PositionEmbeddingType string   `json:"position_embedding_type"`
	IsDecoder             bool     `json:"is_decoder"`
}

// readConfig reads config.json and refuses unsupported models.
func readConfig(path string) (Config, error) {
	var j configJSON
	if err := readJSON(path, maxConfig, &j); errors.Is(err, fs.ErrNotExist) {
		return Config{}, userr.New(userr.BadInput, "there is no %s: name a folder with config.json, "+
			"model.safetensors and tokenizer.json", path)
	} else if err != nil {
		return Config{}, err
	}
	if j.ModelType != modelType {
		return Config{}, userr.New(userr.BadInput, "%s is of an encoder with model_type %.60q, but only model_type %q with "+
			"WordPiece is read: use a BERT, MiniLM, RuBERT or another encoder of that type", path, j.ModelType, modelType)
	}
	c := j.config()
	if err := c.check(j); err != nil {
		return Config{}, userr.New(userr.BadInput, "%s: %w", path, err)
	}
	return c, nil
}

func (j configJSON) config() Config {
	c := Config{
		Vocab: j.VocabSize, Types: j.TypeVocabSize, tokenizer: j.TokenizerClass,
		SMLMShape: recipe.SMLMShape{
			Layers: j.NumHiddenLayers, Heads: j.NumAttentionHeads, Dim: j.HiddenSize, FF: j.IntermediateSize,
		},
		PretrainedShape: recipe.PretrainedShape{
			Embedding: j.HiddenSize, Positions: j.MaxPositionEmbeddings, Activation: j.HiddenAct,
			Eps: 1e-12,
		},
	}
	if j.LayerNormEps != nil {
		c.Eps = *j.LayerNormEps
	}
	return c
}

// check refuses impossible shapes and unsupported features.
func (c Config) check(j configJSON) error {
	if err := recipe.CheckVocab("pretrained encoder", c.Vocab, 1); err != nil {
		return err
	}
	if err := c.SMLMShape.CheckOf("pretrained encoder"); err != nil {
		return err
	}
	if err := c.PretrainedShape.Check(); err != nil {
		return err
	}
	switch {
	case c.Types < 1 || c.Types > recipe.Widest:
		return userr.New(userr.BadInput, "type_vocab_size is %d: it must be from 1 to %d", c.Types, recipe.Widest)
	case j.PositionEmbeddingType != "" && j.PositionEmbeddingType != "absolute":
		return userr.New(userr.BadInput, "position_embedding_type %.60q cannot be read: use a model with "+
			"absolute positions",
			j.PositionEmbeddingType)
	case j.IsDecoder:
		return userr.New(userr.BadInput, "is_decoder is true: use an encoder, which sees the words on both "+
			"sides")
	}
	return nil
}
