package folder

import (
	"cmp"
	"fmt"
	"strings"
)

// Parts is what a family calls the tensors of its parts. Those of a layer stand behind the name of
// the layer, which has its number in it.
type Parts struct {
	Prefix                         string // before all but the heads; absent where the encoder was saved alone
	Pieces, Positions, Types, Norm string
	Project                        string // "" where there is none
	layer                          string
	Query, Key, Value, Out, Norm1  string
	In, FF, Norm2                  string
	MaskDense, MaskNorm, MaskBias  string // the masked-language head; "" where the family has none
	ReplacedDense, ReplacedOut     string // ELECTRA's discriminator
}

var bertLayer = Parts{
	Pieces: "embeddings.word_embeddings", Positions: "embeddings.position_embeddings",
	Types: "embeddings.token_type_embeddings", Norm: "embeddings.LayerNorm", layer: "encoder.layer.%d.",
	Query: "attention.self.query", Key: "attention.self.key", Value: "attention.self.value",
	Out: "attention.output.dense", Norm1: "attention.output.LayerNorm",
	In: "intermediate.dense", FF: "output.dense", Norm2: "output.LayerNorm",
}

// partsOf returns the names of a family.
func partsOf(f Family) Parts {
	n := bertLayer
	switch f {
	case BERT:
		n.Prefix = "bert."
		n.MaskDense, n.MaskNorm, n.MaskBias = "cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm",
			"cls.predictions.bias"
	case RoBERTa, XLMR:
		n.Prefix = "roberta."
		n.MaskDense, n.MaskNorm, n.MaskBias = "lm_head.dense", "lm_head.layer_norm", "lm_head.bias"
	case DistilBERT:
		n.Prefix, n.Types = "distilbert.", ""
		n.layer = "transformer.layer.%d."
		n.Query, n.Key, n.Value, n.Out = "attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin"
		n.Norm1, n.In, n.FF, n.Norm2 = "sa_layer_norm", "ffn.lin1", "ffn.lin2", "output_layer_norm"
		n.MaskDense, n.MaskNorm, n.MaskBias = "vocab_transform", "vocab_layer_norm", "vocab_projector.bias"
	case ELECTRA:
		n.Prefix, n.Project = "electra.", "embeddings_project"
		n.ReplacedDense, n.ReplacedOut = "discriminator_predictions.dense", "discriminator_predictions.dense_prediction"
	}
	return n
}

// Parts returns the names as the folder has them: without the prefix where the encoder was saved
// alone.
func (f *Folder) Parts() Parts {
	n := partsOf(f.Config.Family)
	if !f.Has(n.Prefix + n.Pieces + ".weight") {
		n.Prefix = ""
	}
	return n
}

// InLayer returns the name of a part of layer i.
func (n Parts) InLayer(i int, part string) string { return n.Prefix + fmt.Sprintf(n.layer, i) + part }

// checkEncoder refuses weights that lack a tensor of the encoder, or have one of another shape than
// the config's. It goes through the layers in turn: a config may speak of any number of them.
func (f *Folder) checkEncoder() error {
	c, n := f.Config, f.Parts()
	dim, ff, width := int64(c.Dim), int64(c.FF), int64(c.Embedding)
	linear := func(name string, in, out int64) error {
		return cmp.Or(f.check(name+".weight", out, in), f.check(name+".bias", out))
	}
	norm := func(name string, width int64) error {
		return cmp.Or(f.check(name+".weight", width), f.check(name+".bias", width))
	}
	err := cmp.Or(
		f.check(n.Prefix+n.Pieces+".weight", int64(c.Vocab), width),
		f.check(n.Prefix+n.Positions+".weight", int64(c.FirstPosition+c.Positions), width),
		norm(n.Prefix+n.Norm, width),
	)
	if n.Types != "" && c.Types > 0 {
		err = cmp.Or(err, f.check(n.Prefix+n.Types+".weight", int64(c.Types), width))
	}
	if dim != width {
		err = cmp.Or(err, linear(n.Prefix+n.Project, width, dim))
	}
	for i := 0; i < c.Layers && err == nil; i++ {
		for _, part := range []string{n.Query, n.Key, n.Value, n.Out} {
			err = cmp.Or(err, linear(n.InLayer(i, part), dim, dim))
		}
		err = cmp.Or(err, linear(n.InLayer(i, n.In), dim, ff), linear(n.InLayer(i, n.FF), ff, dim),
			norm(n.InLayer(i, n.Norm1), dim), norm(n.InLayer(i, n.Norm2), dim))
	}
	return err
}

// old are the names of a layer norm's weight and bias in folders of before 2019.
var old = strings.NewReplacer("LayerNorm.weight", "LayerNorm.gamma", "LayerNorm.bias", "LayerNorm.beta")
