package results

import (
	"fmt"

	"github.com/smlm-exp/smlm-exp/metrics"
)

// accuracySignature is that of the share of human sentences of a split whose style a classifier
// finds; what is masked or not is said in text.
const accuracySignature = "accuracy|level:micro|of:%s|decision:likelier-style|split:%s|version:1"

// trainedSignatures say how the figures of the tables of classifiers and masks were computed, by
// table.
func trainedSignatures() map[string]map[string]string {
	human := map[string]string{
		"dev_accuracy": fmt.Sprintf(accuracySignature, "human-sentences", "dev"),
		"accuracy":     fmt.Sprintf(accuracySignature, "human-sentences", "test"),
	}
	ofDivLSTM := map[string]string{
		"dev_accuracy": human["dev_accuracy"], "accuracy": human["accuracy"],
		"conicity":       "conicity|form:abs|over:time|agg:mean-of-sentences|split:dev|version:1",
		"top_attention":  "top_attention|of:most-attended-word|agg:mean-of-sentences|split:dev|version:1",
		"evidence_found": "evidence_found|of:most-attended-word|over:best-word|by:selector's-log-odds|level:style|split:dev|version:1",
	}
	return map[string]map[string]string{
		"classifier": human, "divlstm": ofDivLSTM, "attribution": {
			"accuracy": fmt.Sprintf(accuracySignature, "masked-sentences", "test"),
			"s_bleu":   metrics.BLEUSignature(4, "source"),
		},
	}
}
