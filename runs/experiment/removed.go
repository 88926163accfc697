package experiment

import (
	"cmp"
	"slices"
	"strings"
)

// removedKeys maps a key or a table of an earlier version to a message, which gives the reason, a
// colon and what to do. A table stands for all of its keys. Keys of [datasets.NAME] begin with
// "datasets.", and keys that several tables had begin with "*.".
var removedKeys = map[string]string{
	"masking.comparator":      atLeast,
	"masking.top_k":           `a share fits short and long sentences: set policy = "top_share" and masking.top_share`,
	"masking.sampling":        sampled,
	"masking.attr_target":     usualGradients,
	"masking.attr_reduce":     usualGradients,
	"masking.attr_scale":      usualGradients,
	"masking.ig_baseline":     usualGradients,
	"masking.ig_rule":         usualGradients,
	"masking.ig_steps":        usualGradients,
	"masking.ig_times_input":  usualGradients,
	"smlm.reduction":          noGain,
	"finetune.lambda_rec_inv": `it undoes fine-tuning: remove the key (docs/results/profiles.md)`,
	"smlm.cls_token":          noGain,
	"smlm.shift_targets":      noGain,
	"smlm.train_embeddings":   noGain,
	"smlm.write_special":      noGain,
	"divlstm.latent":          noGain,
	"divlstm.start_token":     noGain,
	"divlstm.conicity_axis":   noGain,

	"datasets.no_style": "no study used it: remove the key, and rewrite sentences that have none of the styles with `smlm-exp transfer`",
	"datasets.votes":    "a command shows human evaluations: remove the key, and run `smlm-exp human tally FOLDER`",
	"datasets.voted_on": "a command shows human evaluations: remove the key, and run `smlm-exp human tally FOLDER`",
	"datasets.readings": "a command shows readers' ratings: remove the key, and run `smlm-exp human tally FILE`",
	"slurm.partition":   asWritten + `"--partition=NAME" into slurm.options`,
	"slurm.account":     asWritten + `"--account=NAME" into slurm.options`,
	"slurm.qos":         asWritten + `"--qos=NAME" into slurm.options`,
	"slurm.time":        asWritten + `"--time=TIME" into slurm.options`,
	"slurm.memory":      asWritten + `"--mem=SIZE" into slurm.options`,
	"slurm.cpus":        asWritten + `"--cpus-per-task=N" into slurm.options`,
	"slurm.gres":        asWritten + `"--gres=LIST" into slurm.options`,
	"slurm.grace":       asWritten + `"--signal=B:TERM@SECONDS" into slurm.options`,
	"slurm.parallel":    "the number of workers is no setting of a study: write --workers N on the command line",
	"slurm.classifier":  alike,
	"slurm.whole":       alike,
	"slurm.unseen-cnn":  alike,
	"slurm.guide":       alike,
	"slurm.divlstm":     alike,
	"slurm.smlm":        alike,
	"slurm.smlm-g":      alike,
	"slurm.smlm-ft":     alike,
	"slurm.lm":          alike,
	"search":            "nobody chose a setting with it: list the values of a key, which makes a sweep",
	"track.mlflow":      "TensorBoard is enough to watch trainings: set track.tensorboard, or read history.json and metrics.json",
	"track.experiment":  "it named the study at MLflow: remove it",

	"finetune.judge":           byGuide,
	"finetune.lambda_kl":       byGuide,
	"finetune.temperature":     byGuide,
	"finetune.disc_inv_weight": ofReading,
	"finetune.head_layers":     ofReading,
	"finetune.include_cls":     ofReading,

	"teacher":                  taught,
	"smlm.teacher":             taught,
	"metrics.acceptability":    acceptable,
	"metrics.acceptable_label": acceptable,

	"selector":                     noEncoder,
	"classifier.kind":              noEncoder,
	"classifier.pretrained":        noEncoder,
	"classifier.pretrained_layers": noEncoder,
	"classifier.layer_decay":       noEncoder,
	"guide.kind":                   noEncoder,
	"guide.pretrained":             noEncoder,
	"guide.pretrained_layers":      noEncoder,
	"guide.layer_decay":            noEncoder,

	"fluency":             "outputs are equally good with shorter and longer n-grams: remove the table",
	"mixed":               half,
	"guide.mixed":         half,
	"guided.mixed_weight": half,

	"*.accumulate": "no study used it: remove the key, and set batch_tokens to what memory has room for",
	"*.beta2":      unused,

	"smlm.layer_decay": "no study gained by it: remove the key",

	"guided.temperature":  unused,
	"guided.distinct":     "no result shows a gain by it: remove the key",
	"guided.insist":       "readers saw no difference: remove the key",
	"guided.against_rest": "it changed results by little more than the seeds do: remove the key",

	"guided.price":            bySearch,
	"guided.no_repeats":       bySearch,
	"guided.no_punctuation":   bySearch,
	"guided.order":            bySearch,
	"guided.candidates":       bySearch,
	"guided.guide_weight":     bySearch,
	"guided.contrast":         bySearch,
	"guided.mask_contrast":    bySearch,
	"guided.more_masks":       bySearch,
	"guided.doubt":            bySearch,
	"guided.restore":          bySearch,
	"guided.restore_contrast": bySearch,
	"guided.revise":           bySearch,
	"guided.revise_gamma":     bySearch,
	"guided.ranked":           bySearch,
	"guided.gamma":            bySearch,
	"guided.plausible":        bySearch,
	"guided.evidence":         bySearch,
	"guided.edits":            bySearch,
	"guided.length":           ofLength,
	"guided.length_gamma":     ofLength,
	"guided.length_fit":       ofLength,
	"guided.lengths":          ofLength,
	"guided.negations":        "the search finds phrases in the training text and replaces them (docs/guided.md): remove the key",
	"guided.rated":            "a rater helps to choose wherever a data set has ratings: remove the key",
	"smlm.slots":              ofLength,
	"smlm.merge":              ofLength,
	"smlm.gaps":               ofLength,

	"track.folder":          "event files are in tensorboard in the workspace: remove the key",
	"report.page":           "the page is always written: remove the key",
	"datasets.licence":      "packs name the first line of LICENCE.txt or LICENSE in dir: write it there",
	"datasets.unseen_share": "a twentieth is set aside in all data sets: remove the key",

	"lm.layers":    unused,
	"lm.tied":      unused,
	"lm.min_count": unused,
	"lm.unk_share": unused,

	"decoder.length_penalty": unused,
	"decoder.max_extra":      unused,

	"metrics.embedding":        "the embedding metrics are always measured: remove the key",
	"metrics.meteor":           "METEOR is measured if WordNet is found: remove the key, or set wordnet = \"none\"",
	"metrics.encoder_idf":      plainScore,
	"metrics.encoder_baseline": plainScore,
}

const (
	asWritten = "sbatch gets its options as they are written: put "
	alike     = "all workers on Slurm are alike: put what the largest training needs into slurm.options"

	taught         = "readers saw no difference to a small model that was not taught: start SMLM itself from the encoder, with smlm.pretrained"
	noEncoder      = "no study used a pretrained encoder as a judge: remove the key, and start SMLM from the encoder, with smlm.pretrained"
	half           = "a class for half-flipped texts made no outputs better: remove the key"
	usualGradients = "the published code's gradients hid fewer style words: remove the key (docs/results/profiles.md)"
	atLeast        = `it changed no result: remove the key, a score at the threshold is masked, as in the paper`
	sampled        = "it made masks depend on the seed and no result better: remove the key"
	noGain         = "it was in the published code and made no result better: remove the key (docs/results/profiles.md)"
	byGuide        = "with guided decoding it changed no score: remove the key, and use guided decoding without SMLM-FT"
	ofReading      = "it is part of the published code: set finetune.reading = \"authors\""
	acceptable     = "nobody used acceptability or J: remove the key, and name the scores of another program in report.scores"
	unused         = "no study gave it another value: remove the key"
	bySearch       = "guided outputs are chosen by a search over edits (docs/guided.md): remove the key"
	ofLength       = "the search replaces phrases by longer or shorter ones (docs/guided.md): remove the key"
	plainScore     = "no study used BERTScore with weights or a baseline: remove the key"
)

// The function removed returns the message for a key of an earlier version, or "". It also finds
// keys in the tables of a data set or a variant.
func removed(path string) string {
	parts := strings.SplitN(path, ".", 3)
	names := []string{path}
	switch {
	case len(parts) == 3 && parts[0] == "datasets":
		names = []string{"datasets." + parts[2], parts[2]}
	case len(parts) == 3 && parts[0] == "variants":
		names = []string{parts[2]}
	}
	for _, name := range names {
		table, key, _ := strings.Cut(name, ".")
		if why := cmp.Or(removedKeys[table], removedKeys[name]); why != "" {
			return why
		}
		if slices.Contains(tables, table) && removedKeys["*."+key] != "" {
			return removedKeys["*."+key]
		}
	}
	return ""
}
