package pretrained

import (
	"fmt"
	"strings"

	"github.com/smlm-exp/smlm-exp/pretrained/folder"
)

// names is what a family calls the tensors of its parts. Those of a layer stand behind the name of
// the layer, which has its number in it.
type names struct {
	prefix                         string // before all but the heads; absent where the encoder was saved alone
	pieces, positions, types, norm string
	project                        string // "" where there is none
	layer                          string
	query, key, value, out, norm1  string
	in, ff, norm2                  string
	maskDense, maskNorm, maskBias  string // the masked-language head; "" where the family has none
	classDense, classOut           string // the classifier's head; classDense "" is the pooler of the encoder
	pooler                         string
	replacedDense, replacedOut     string // ELECTRA's discriminator
}

var bertLayer = names{
	pieces: "embeddings.word_embeddings", positions: "embeddings.position_embeddings",
	types: "embeddings.token_type_embeddings", norm: "embeddings.LayerNorm", layer: "encoder.layer.%d.",
	query: "attention.self.query", key: "attention.self.key", value: "attention.self.value",
	out: "attention.output.dense", norm1: "attention.output.LayerNorm",
	in: "intermediate.dense", ff: "output.dense", norm2: "output.LayerNorm",
}

// namesOf returns the names of a family.
func namesOf(f folder.Family) names {
	n := bertLayer
	switch f {
	case folder.BERT:
		n.prefix, n.pooler, n.classOut = "bert.", "pooler.dense", "classifier"
		n.maskDense, n.maskNorm, n.maskBias = "cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm",
			"cls.predictions.bias"
	case folder.RoBERTa, folder.XLMR:
		n.prefix, n.classDense, n.classOut = "roberta.", "classifier.dense", "classifier.out_proj"
		n.maskDense, n.maskNorm, n.maskBias = "lm_head.dense", "lm_head.layer_norm", "lm_head.bias"
	case folder.DistilBERT:
		n.prefix, n.types, n.classDense, n.classOut = "distilbert.", "", "pre_classifier", "classifier"
		n.layer = "transformer.layer.%d."
		n.query, n.key, n.value, n.out = "attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin"
		n.norm1, n.in, n.ff, n.norm2 = "sa_layer_norm", "ffn.lin1", "ffn.lin2", "output_layer_norm"
		n.maskDense, n.maskNorm, n.maskBias = "vocab_transform", "vocab_layer_norm", "vocab_projector.bias"
	case folder.ELECTRA:
		n.prefix, n.project, n.classDense, n.classOut = "electra.", "embeddings_project", "classifier.dense",
			"classifier.out_proj"
		n.replacedDense, n.replacedOut = "discriminator_predictions.dense", "discriminator_predictions.dense_prediction"
	}
	return n
}

// in returns the names as a folder has them: without the prefix where the encoder was saved alone.
func (n names) of(f *folder.Folder) names {
	if !f.Has(n.prefix + n.pieces + ".weight") {
		n.prefix = ""
	}
	return n
}

func (n names) inLayer(i int, part string) string { return n.prefix + fmt.Sprintf(n.layer, i) + part }

// old are the names of a layer norm's weight and bias in folders of before 2019.
var old = strings.NewReplacer("LayerNorm.weight", "LayerNorm.gamma", "LayerNorm.bias", "LayerNorm.beta")
