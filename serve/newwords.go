package serve

import "github.com/smlm-exp/smlm-exp/report"

// wordData is a word of an output; New where the source has not got it there.
type wordData struct {
	Text string
	New  bool
}

// changes marks the words of an output as the table of examples does.
func changes(source, output []string) []wordData {
	out := make([]wordData, len(output))
	for j, put := range report.Replaced(source, output) {
		out[j] = wordData{output[j], put}
	}
	return out
}
