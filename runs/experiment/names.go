package experiment

// The names that settings may take.
var (
	Comparators = []string{">=", ">"}
	AttrTargets = []string{"logodds", "loss"}
	AttrReduces = []string{"auto", "sum", "l2", "abs"}
	AttrScales  = []string{"positive", "softmax"}
	IGBaselines = []string{"zero", "mean"}
	IGRules     = []string{"gauss_legendre", "midpoint", "left"}
	Classifiers = []string{"bi-lstm", "fasttext"}
	Models      = []string{"smlm", "smlm-g", "smlm-ft"}
	Unmasked    = []string{"copied", "predicted"}
	Tables      = []string{
		"results", "seeds", "content", "bleu", "intervals", "significance", "datasets", "classifier", "divlstm", "attribution", "training", "switches",
		"human", "examples",
	}
	Figures      = []string{"lambda_eps", "tradeoff", "training", "masked_share"}
	Losses       = []string{"all", "masked", "positions"}
	LossPer      = []string{"word", "sentence"}
	Reductions   = []string{"mean", "sum"}
	ConicityForm = []string{"abs", "signed", "abs_mean"}
	ConicityAxis = []string{"time", "batch"}
)
