package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// About holds what a reader of a table needs to know: the data, the settings and what the rows
// mean. It is printed below the table.
type About struct {
	Data       []string          // such as "yelp: 107,384 + 158,574 training sentences"
	Seeds      []uint64          // the seeds of the experiment
	Profile    string            // "paper" or "fitted"
	Overrides  []Override        // settings that differ from the profile and are not swept
	Signatures map[string]string // for each metric, how it was computed; a table prints those of its own columns
	Missing    map[string]string // for each metric that no row has, a sentence that says how to get it
	Legend     []string          // explanations of the rows, one sentence each; always printed with the table
	Notes      []string          // further explanations, one sentence each
	Trained    []string          // how the models were trained, in sentences
}

// Settings returns what is printed with a table about the data, the seeds, the profile with its
// overrides, and the training of the models. Each line consists of one or more sentences.
func (a About) Settings() (lines []string) {
	if len(a.Data) > 0 {
		lines = append(lines, "Data: "+strings.Join(a.Data, "; ")+".")
	}
	if len(a.Seeds) > 0 {
		lines = append(lines, wording.Plural(len(a.Seeds), "Seed")+" "+joinSeeds(a.Seeds)+".")
	}
	if a.Profile != "" {
		lines = append(lines, "Profile: "+a.ProfileText()+".")
	}
	return append(lines, a.Trained...)
}

// partNames maps a section of the experiment file, or the stage that trains a model, to the name
// that readers see. All tables, figures and notes use these names. They are short because some are
// titles of small panels in figures.
var partNames = map[string]string{
	"vocab": "Vocabulary", "divlstm": "Diversity-LSTM", "masking": "Masks", "lm": "Language model",
	"decoder": "SMLM-G", "finetune": "SMLM-FT",
	"guide": "Guide", "guided": "Guided decoding", "metrics": "Metrics",
	"classifier": "Evaluation classifier", "fasttext": "fastText-like classifier",
	"cnn": "CNN judge of TST% unseen", "unseen-cnn": "CNN judge of TST% unseen",
}

// PartName returns the name that readers see for a model or for a section of the experiment file:
// "Diversity-LSTM" for "divlstm". Transfer models are in capitals: "SMLM-G" for "smlm-g".
func PartName(key string) string {
	if name, known := partNames[key]; known {
		return name
	}
	if strings.HasPrefix(key, "smlm") {
		return strings.ToUpper(key)
	}
	return capital(key)
}

// common returns a function that reports whether all data sets have a given override, with the same
// value.
func common(all []Override) func(Override) bool {
	var datasets []string
	for _, o := range all {
		datasets = lists.AddOnce(datasets, o.Dataset)
	}
	return func(o Override) bool {
		return !slices.ContainsFunc(datasets, func(name string) bool {
			o.Dataset = name
			return !slices.Contains(all, o)
		})
	}
}

// ProfileText returns the name of the profile and the settings that differ from it.
func (a About) ProfileText() string {
	if len(a.Overrides) == 0 {
		return a.Profile
	}
	return a.Profile + ", but " + overridesText(a.Overrides)
}

// hints returns sentences that say how to get the metrics that a table lacks.
func (a About) hints(absent []string) (lines []string) {
	for _, key := range absent {
		if why := a.Missing[key]; why != "" {
			lines = lists.AddOnce(lines, why)
		}
	}
	return lines
}

func joinSeeds(seeds []uint64) string {
	texts := make([]string, 0, len(seeds))
	for _, s := range slices.Sorted(slices.Values(seeds)) {
		texts = append(texts, fmt.Sprint(s))
	}
	return strings.Join(slices.Compact(texts), ", ")
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

// Override is a setting of one data set whose value differs from the profile's.
type Override struct{ Dataset, Table, Key, Value string }

// overridesText lists overrides: "divlstm.lambda_con 0.5, embedding 64; smlm.dim 256". An override
// that not all data sets share comes after the name of its data set: "on yelp: ...".
func overridesText(all []Override) string {
	var datasets []string
	for _, o := range all {
		datasets = lists.AddOnce(datasets, o.Dataset)
	}
	everywhere := common(all)
	parts := []string{tablesText(all, func(o Override) bool { return o.Dataset == datasets[0] && everywhere(o) })}
	for _, name := range datasets {
		some := tablesText(all, func(o Override) bool { return o.Dataset == name && !everywhere(o) })
		if some != "" {
			parts = append(parts, "on "+name+": "+some)
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}

// tablesText lists the overrides that "of" selects, grouped by section of the experiment file. The
// name of the section comes before its first key.
func tablesText(all []Override, of func(Override) bool) string {
	var text strings.Builder
	before := ""
	for _, o := range all {
		switch {
		case !of(o):
			continue
		case o.Table == before:
			text.WriteString(", ")
		case before != "":
			text.WriteString("; ")
		}
		if o.Table != before {
			text.WriteString(o.Table + ".")
		}
		before = o.Table
		text.WriteString(o.Key + " " + o.Value)
	}
	return text.String()
}

// signatureLines returns signatures, which say how a metric was computed, as lines: "s_bleu:
// bleu4|level:corpus|...". Metrics with equal signatures share a line.
func signatureLines(signatures map[string]string) []string {
	var texts []string
	names := map[string][]string{} // names of the metrics with a signature
	for _, name := range sortedKeys(signatures) {
		text := strings.TrimSuffix(signatures[name], ".")
		texts, names[text] = lists.AddOnce(texts, text), append(names[text], name)
	}
	return lists.Map(texts, func(text string) string { return strings.Join(names[text], ", ") + ": " + text + "." })
}
