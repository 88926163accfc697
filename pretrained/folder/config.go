package folder

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Family is a kind of encoder, by the name that config.json gives it in model_type.
type Family string

// The families that can be read. MiniLM, RuBERT and the Chinese BERT are BERT's.
const (
	BERT       Family = "bert"
	RoBERTa    Family = "roberta"
	XLMR       Family = "xlm-roberta"
	DistilBERT Family = "distilbert"
	ELECTRA    Family = "electra"
)

var families = []Family{BERT, RoBERTa, XLMR, DistilBERT, ELECTRA}

// Config is what config.json says of a model.
type Config struct {
	Family Family
	Vocab  int // pieces that the model has a vector for
	recipe.SMLMShape
	recipe.PretrainedShape
	Types int // of segments: 0 or more; the program's text is all of the first
	// Head is the class that wrote the folder, such as "BertForMaskedLM".
	Head string
}

const (
	configFile = "config.json"
	// mostConfig is the most bytes of config.json: a few kB but for labels.
	mostConfig = 4 << 20
)

// configJSON has the keys of all families; DistilBERT has names of its own.
type configJSON struct {
	ModelType     string   `json:"model_type"`
	Architectures []string `json:"architectures"`
	VocabSize     int      `json:"vocab_size"`

	HiddenSize        int `json:"hidden_size"`
	NumHiddenLayers   int `json:"num_hidden_layers"`
	NumAttentionHeads int `json:"num_attention_heads"`
	IntermediateSize  int `json:"intermediate_size"`
	Dim               int `json:"dim"`
	NLayers           int `json:"n_layers"`
	NHeads            int `json:"n_heads"`
	HiddenDim         int `json:"hidden_dim"`

	EmbeddingSize         int      `json:"embedding_size"`
	MaxPositionEmbeddings int      `json:"max_position_embeddings"`
	TypeVocabSize         int      `json:"type_vocab_size"`
	HiddenAct             string   `json:"hidden_act"`
	Activation            string   `json:"activation"`
	LayerNormEps          *float64 `json:"layer_norm_eps"`
	PadTokenID            *int     `json:"pad_token_id"`
	PositionEmbeddingType string   `json:"position_embedding_type"`
	IsDecoder             bool     `json:"is_decoder"`
}

// readConfig reads config.json and refuses what no model of ours can be.
func readConfig(path string) (Config, error) {
	var j configJSON
	if err := readJSON(path, mostConfig, &j); errors.Is(err, fs.ErrNotExist) {
		return Config{}, userr.New(userr.BadInput, "there is no %s: name a folder with config.json, "+
			"model.safetensors and tokenizer.json", path)
	} else if err != nil {
		return Config{}, err
	}
	family := Family(j.ModelType)
	if !slices.Contains(families, family) {
		return Config{}, userr.New(userr.BadInput, "%s: model_type %.60q cannot be read: use an encoder of "+
			"one of the families %s",
			path, j.ModelType, strings.Join(lists.Map(families, func(f Family) string { return string(f) }), ", "))
	}
	c := j.config(family)
	if err := c.check(j); err != nil {
		return Config{}, userr.New(userr.BadInput, "%s: %w", path, err)
	}
	return c, nil
}

func (j configJSON) config(family Family) Config {
	c := Config{Family: family, Vocab: j.VocabSize, Types: j.TypeVocabSize}
	c.SMLMShape = recipe.SMLMShape{
		Layers: j.NumHiddenLayers, Heads: j.NumAttentionHeads, Dim: j.HiddenSize, FF: j.IntermediateSize,
	}
	c.PretrainedShape = recipe.PretrainedShape{
		Embedding: j.HiddenSize, Positions: j.MaxPositionEmbeddings, Activation: recipe.Activation(j.HiddenAct),
		Eps: 1e-12,
	}
	if family == DistilBERT {
		c.SMLMShape = recipe.SMLMShape{Layers: j.NLayers, Heads: j.NHeads, Dim: j.Dim, FF: j.HiddenDim}
		c.Embedding, c.Activation, c.Types = j.Dim, recipe.Activation(j.Activation), 0
	} else if j.LayerNormEps != nil {
		c.Eps = *j.LayerNormEps
	}
	switch family {
	case ELECTRA:
		c.Embedding = j.EmbeddingSize
	case RoBERTa, XLMR: // the first position comes after that of padding
		c.FirstPosition = 2
		if j.PadTokenID != nil {
			c.FirstPosition = *j.PadTokenID + 1
		}
		c.Positions -= c.FirstPosition
	}
	if len(j.Architectures) > 0 {
		c.Head = j.Architectures[0]
	}
	return c
}

// check refuses shapes that no model has and parts that the network lacks.
func (c Config) check(j configJSON) error {
	if err := recipe.CheckVocab("pretrained encoder", c.Vocab, 1); err != nil {
		return err
	}
	if err := c.SMLMShape.CheckOf("pretrained encoder"); err != nil {
		return err
	}
	if pad := j.PadTokenID; (c.Family == RoBERTa || c.Family == XLMR) && pad != nil && (*pad < 0 || *pad >= c.Vocab) {
		return userr.New(userr.BadInput, "pad_token_id is %d: it must be from 0 to %d, the id of a piece", *pad, c.Vocab-1)
	}
	if err := c.PretrainedShape.Check(); err != nil {
		return err
	}
	switch {
	case !isName(c.Head):
		return userr.New(userr.BadInput, "architectures contains %.60q, which is not the name of a class", c.Head)
	case c.Types < 0 || c.Types > recipe.Widest:
		return userr.New(userr.BadInput, "type_vocab_size is %d: it must be from 0 to %d", c.Types, recipe.Widest)
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

// isName says whether a text can stand in a sentence.
func isName(s string) bool {
	return len(s) <= 200 && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// path returns the path of a file of the folder.
func (f *Folder) path(name string) string { return filepath.Join(f.Dir, name) }
