package metrics

// rougeL is the mean ROUGE-L of the outputs against their sources (see RougeL).
var rougeL = &Metric{
	Key: "rouge_l", Head: "ROUGE-L", Decimals: 2, Most: 1, Better: Higher, Group: GroupContent, tested: true,
	signature: constant(rougeLSignature),
	records: []record{{"rouge_l", func(m *measured) [][]float64 {
		return single(rougeLs(m.output, m.source))
	}}},
	needs: []string{"rouge_l"},
	total: meanOf("rouge_l"),
}

// rougeLSignature describes how ROUGE-L is computed.
const rougeLSignature = "rouge_l|level:sentence-mean|lcs|beta:1.2|best:precision,recall|tok:whitespace|case:as-is|dirs:mean|" +
	"refs:source|version:1"

// rougeLBeta weighs recall against precision, as in coco-caption's rouge.py.
const rougeLBeta = 1.2

// rougeLs returns the ROUGE-L of each output against its source, 0-1. It computes ROUGE-L (Lin
// 2004) like coco-caption's rouge.py, which nlg-eval uses:
//
//	F = (1 + b^2) P R / (R + b^2 P),  b = 1.2,  P = LCS / words of the output,  R = LCS / words of the source
//
// LCS is the length of the longest common subsequence of words. As in rouge.py, an empty sentence
// counts as one empty word: two empty sentences score 1, and an empty against a non-empty one
// scores 0. Words are compared as they are.
func rougeLs(outputs, sources []ngramSentence) []float64 {
	scores := make([]float64, len(outputs))
	var row []int32
	for i := range outputs {
		out, source := orEmptyWord(outputs[i].IDs), orEmptyWord(sources[i].IDs)
		var common int
		common, row = commonSubsequence(out, source, row)
		if common > 0 {
			precision, recall := float64(common)/float64(len(out)), float64(common)/float64(len(source))
			const b = rougeLBeta * rougeLBeta
			scores[i] = (1 + b) * precision * recall / (recall + b*precision)
		}
	}
	return scores
}

// orEmptyWord replaces an empty sentence by the word number 0, which no real word has.
func orEmptyWord(ids []int32) []int32 {
	if len(ids) == 0 {
		return []int32{0}
	}
	return ids
}

// commonSubsequence returns the length of the longest common subsequence of a and b. It reuses row
// and returns it.
func commonSubsequence(a, b, row []int32) (int, []int32) {
	row = append(row[:0], make([]int32, len(b)+1)...)
	for _, x := range a {
		diagonal := int32(0) // entry of the dynamic programming table one row above and one column to the left
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return int(row[len(b)]), row
}
