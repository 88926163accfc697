package experiment

// Profiles names the sets of defaults: "paper" has the formulas as printed, "authors" the published code with every quirk
// that is a switch here.
var Profiles = []string{"paper", "authors"}

// profileSettings returns the defaults of a profile.
func profileSettings(profile string) Settings {
	if profile == "authors" {
		return AuthorsSettings()
	}
	return DefaultSettings()
}

// AuthorsSettings returns DefaultSettings with every switch as the published code has it. Two things are not known from that
// code: the weight of lambda_rec_inv, which a comment demands to be above 0 (1 here), and all of SMLM-G.
func AuthorsSettings() Settings {
	s := DefaultSettings()
	d := &s.DivLSTM
	d.Reduction, d.ConicityAxis, d.ConicityForm = "sum", "batch", "abs_mean"
	d.Latent, d.StartToken, d.TrainAttention = 128, true, false
	m := &s.Masking
	m.Comparator, m.Sampling = ">", true
	m.AttrTarget, m.AttrReduce, m.AttrScale = "loss", "sum", "softmax"
	m.IGRule, m.IGSteps, m.IGTimesInput = "left", 5, false
	t := &s.SMLM
	t.Unmasked, t.Loss, t.Reduction = []string{"predicted"}, "positions", "sentence"
	t.SourceToken, t.ClsToken, t.ShiftTargets, t.TrainEmbeddings, t.WriteSpecial = false, true, true, false, true
	f := &s.Finetune
	f.LambdaRec, f.LambdaRecInv, f.DiscInvWeight, f.HeadLayers, f.IncludeCls = 0, 1, 0.1, 2, true
	return s
}
