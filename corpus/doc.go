// Package corpus holds the text side of the study: data sets of two styles, the word vocabulary,
// batches of sentences of equal length, raw user text cut into words, the counts of the data
// report, and the embedded demo corpus. It knows nothing of tensors and builds without libtorch.
package corpus
