// Package metrics scores style transfer outputs: TST%, corpus BLEU against sources and references, unigram
// naturalness, their mean, and the collapse columns that show what those cannot (one word written everywhere).
// It works on words only and never imports tensors.
//
// Every figure comes with a signature, one line that says how it was computed; figures whose signatures differ
// must not be compared.
package metrics
