package experiment

import (
	"fmt"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// checker reports what is wrong with one point's settings, by schema path.
type checker struct {
	report func(path, sentence string)
}

func (c *checker) settings(s *Settings) {
	c.atLeast("vocab.size", s.Vocab.Size, 1)
	c.train("classifier", &s.Classifier.Training)
	if list(c, "classifier.models", s.Classifier.Models, Classifiers, 1) && !slices.Contains(s.Classifier.Models, "bi-lstm") {
		c.report("classifier.models", `must hold "bi-lstm": it is what measures TST%`)
	}
	c.atLeast("fasttext.epochs", s.FastText.Epochs, 1)
	c.positive("fasttext.lr", s.FastText.LR)
	c.atLeast("fasttext.dim", s.FastText.Dim, 1)
	c.atLeast("fasttext.ngrams", s.FastText.Ngrams, 1)
	c.atLeast("fasttext.buckets", s.FastText.Buckets, 1)
	c.atLeast("classifier.embedding", s.Classifier.Embedding, 1)
	c.atLeast("classifier.hidden", s.Classifier.Hidden, 1)
	c.train("divlstm", &s.DivLSTM.Training)
	c.notNegative("divlstm.lambda_con", s.DivLSTM.LambdaCon)
	c.atLeast("divlstm.embedding", s.DivLSTM.Embedding, 1)
	c.atLeast("divlstm.hidden", s.DivLSTM.Hidden, 1)
	c.atLeast("divlstm.attention", s.DivLSTM.Attention, 1)
	oneOf(c, "divlstm.reduction", s.DivLSTM.Reduction, Reductions)
	oneOf(c, "divlstm.conicity_form", s.DivLSTM.ConicityForm, ConicityForm)
	oneOf(c, "divlstm.conicity_axis", s.DivLSTM.ConicityAxis, ConicityAxis)
	c.atLeast("divlstm.latent", s.DivLSTM.Latent, 0)
	c.masking(&s.Masking, len(s.SMLM.Models) > 0)
	c.train("smlm", &s.SMLM.Training)
	list(c, "smlm.models", s.SMLM.Models, Models, 0)
	c.atLeast("smlm.layers", s.SMLM.Layers, 1)
	c.atLeast("smlm.heads", s.SMLM.Heads, 1)
	c.atLeast("smlm.dim", s.SMLM.Dim, 1)
	c.atLeast("smlm.ff", s.SMLM.FF, 1)
	oneOf(c, "smlm.loss", s.SMLM.Loss, Losses)
	oneOf(c, "smlm.reduction", s.SMLM.Reduction, LossPer)
	list(c, "smlm.unmasked", s.SMLM.Unmasked, Unmasked, 1)
	c.train("decoder", &s.Decoder.Training)
	c.atLeast("decoder.layers", s.Decoder.Layers, 1)
	c.atLeast("decoder.max_extra", s.Decoder.MaxExtra, 0)
	c.atLeast("decoder.beam", s.Decoder.Beam, 1)
	c.notNegative("decoder.length_penalty", s.Decoder.LengthPenalty)
	c.train("finetune", &s.Finetune.Training)
	c.notNegative("finetune.lambda_sta", s.Finetune.LambdaSta)
	c.notNegative("finetune.lambda_rec", s.Finetune.LambdaRec)
	c.notNegative("finetune.lambda_rec_inv", s.Finetune.LambdaRecInv)
	c.notNegative("finetune.disc_inv_weight", s.Finetune.DiscInvWeight)
	c.atLeast("finetune.head_layers", s.Finetune.HeadLayers, 1)
	if s.Finetune.HeadLayers > 2 {
		c.report("finetune.head_layers", fmt.Sprintf("is %d, but must be 1 or 2", s.Finetune.HeadLayers))
	}
	c.atLeast("finetune.max_steps", s.Finetune.MaxSteps, 0)
	c.train("lm", &s.LM.Training)
	c.atLeast("lm.embedding", s.LM.Embedding, 1)
	c.atLeast("lm.hidden", s.LM.Hidden, 1)
	c.atLeast("lm.layers", s.LM.Layers, 1)
	c.atLeast("lm.min_count", s.LM.MinCount, 1)
	c.fraction("lm.unk_share", s.LM.UnkShare)
	c.atLeast("lm.max_steps", s.LM.MaxSteps, 0)
	list(c, "report.tables", s.Report.Tables, Tables, 1)
	list(c, "report.figures", s.Report.Figures, Figures, 0)
	c.atLeast("report.examples", s.Report.Examples, 1)
}

func (c *checker) masking(m *MaskingSettings, trains bool) {
	c.notNegative("masking.lambda_eps", m.LambdaEps)
	c.notNegative("masking.lambda_eps_gradients", m.LambdaEpsGradients)
	oneOf(c, "masking.policy", m.Policy, policy.Names)
	oneOf(c, "masking.comparator", m.Comparator, Comparators)
	c.atLeast("masking.top_k", m.TopK, 1)
	if m.TopShare <= 0 || m.TopShare > 1 {
		c.report("masking.top_share", fmt.Sprintf("is %v, but must be above 0 and at most 1", m.TopShare))
	}
	oneOf(c, "masking.attr_target", m.AttrTarget, AttrTargets)
	oneOf(c, "masking.attr_reduce", m.AttrReduce, AttrReduces)
	oneOf(c, "masking.attr_scale", m.AttrScale, AttrScales)
	oneOf(c, "masking.ig_baseline", m.IGBaseline, IGBaselines)
	oneOf(c, "masking.ig_rule", m.IGRule, IGRules)
	c.atLeast("masking.ig_steps", m.IGSteps, 1)
	least := 0 // an experiment that only scores published outputs masks nothing
	if trains {
		least = 1
	}
	if !list(c, "masking.methods", m.Methods, policy.Methods, least) {
		return // train_on would only repeat it
	}
	list(c, "masking.train_on", m.TrainOn, policy.Methods, least)
	for _, method := range m.TrainOn {
		if slices.Contains(policy.Methods, method) && !slices.Contains(m.Methods, method) {
			c.report("masking.train_on", fmt.Sprintf("lists %q, which is not in masking.methods", method))
		}
	}
}

func (c *checker) train(table string, t *recipe.Training) {
	c.atLeast(table+".epochs", t.Epochs, 1)
	c.positive(table+".lr", t.LR)
	c.fraction(table+".beta1", t.Beta1)
	c.fraction(table+".beta2", t.Beta2)
	c.atLeast(table+".warmup", t.Warmup, 0)
	c.notNegative(table+".clip", t.Clip)
	c.fraction(table+".dropout", t.Dropout)
	c.atLeast(table+".batch_tokens", t.BatchTokens, 1)
	c.atLeast(table+".accumulate", t.Accumulate, 0)
	c.atLeast(table+".patience", t.Patience, 0)
	oneOf(c, table+".precision", string(t.Precision), t.Precision.Choices())
}
