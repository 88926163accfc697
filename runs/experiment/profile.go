package experiment

import (
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// profileSettings returns the defaults of a profile.
func profileSettings(profile string) Settings {
	if profile == "authors" {
		return AuthorsSettings()
	}
	return DefaultSettings()
}

// AuthorsSettings returns DefaultSettings with every switch as the published code has it. Two
// things are not known from that code: the weight of lambda_rec_inv, which a comment demands to be
// above 0 (1 here), and all of SMLM-G. The number of epochs and the size of batches are ours too.
func AuthorsSettings() Settings {
	s := DefaultSettings()
	d := &s.DivLSTM
	d.LambdaCon, d.Reduction = 10, recipe.Sum // these two belong together
	d.ConicityAxis, d.ConicityForm = recipe.BatchAxis, recipe.AbsMeanForm
	d.Latent, d.StartToken, d.TrainAttention = 128, true, false
	m := &s.Masking
	m.Comparator, m.Sampling = policy.Above, true
	m.AttrTarget, m.AttrReduce, m.AttrScale = policy.Loss, policy.Sum, policy.Softmax
	m.IGRule, m.IGSteps, m.IGTimesInput = policy.Left, 5, false
	t := &s.SMLM
	t.Unmasked, t.Loss, t.Reduction = []recipe.Unmasked{recipe.Predicted}, recipe.Positions, recipe.Sentence
	t.SourceToken, t.ClsToken, t.ShiftTargets, t.TrainEmbeddings, t.WriteSpecial = false, true, true, false, true
	f := &s.Finetune
	f.LambdaRec, f.LambdaRecInv, f.Reading, f.HeadLayers, f.IncludeCls = 0, 1, recipe.AuthorsCode, 2, true
	return s
}
