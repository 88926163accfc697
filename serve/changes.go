package serve

// wordData is a word of an output; New where the source has not got it there.
type wordData struct {
	Text string
	New  bool
}

// changes marks the words of an output that are not on a longest common subsequence with its
// source.
func changes(source, output []string) []wordData {
	// longest[i][j] is the length of that of source[i:] and output[j:].
	longest := make([][]int, len(source)+1)
	for i := range longest {
		longest[i] = make([]int, len(output)+1)
	}
	for i := len(source) - 1; i >= 0; i-- {
		for j := len(output) - 1; j >= 0; j-- {
			if source[i] == output[j] {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	out := make([]wordData, len(output))
	i := 0
	for j, word := range output {
		for i < len(source) && source[i] != word && longest[i+1][j] == longest[i][j] {
			i++
		}
		if i < len(source) && source[i] == word {
			out[j] = wordData{Text: word}
			i++
		} else {
			out[j] = wordData{word, true}
		}
	}
	return out
}
