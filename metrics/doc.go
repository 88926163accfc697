// Package metrics scores style transfer outputs: TST%, BLEU, ROUGE-L and CIDEr against sources and references, METEOR and embedding metrics and
// perplexity through instruments that are handed in, naturalness, their mean; and what shows what those cannot: diversity and the collapse
// columns (one word written everywhere). It says how sure a figure is and whether two systems differ, from what every
// output contributes, counts the votes of a human evaluation, and warns where outputs look tokenised unlike their sources.
// It works on words only and never imports tensors.
//
// Every figure comes with a signature, one line that says how it was computed; figures whose signatures differ
// must not be compared.
package metrics
