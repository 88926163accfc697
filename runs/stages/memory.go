package stages

import (
	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/smlm"
)

// trainingMemory estimates the resident memory of a Transformer's training on the CPU, in bytes. It
// adds up the memory of the program, of the weights with their gradients and Adam's two means, of
// the states and logits that a batch keeps for the backward pass, and of the training text. batch
// and text are numbers of words.
//
// It was compared with the memory that SMLM with the paper's sizes took on Yelp:
//
//	batches of 1,000 words: 0.92 GB estimated, 0.96 GB measured
//	batches of 3,000 words in bfloat16: 1.87 GB estimated, 2.25 GB measured
//	batches of 6,000 words: 1.87 GB estimated, 1.88 GB measured
func trainingMemory(c smlm.Config, layers int, batch, text float64) int64 {
	const program, perWeight, perTextWord, perNumber = 220e6, 18, 130, 7.3
	dim, ff, vocab := float64(c.Dim), float64(c.FF), float64(c.Vocab)
	weights := float64(layers)*(4*dim*dim+2*dim*ff) + dim*vocab
	kept := float64(layers)*(8*dim+2*ff) + vocab
	return int64(program + perWeight*weights + perNumber*batch*kept + perTextWord*text)
}

// warnOfMemory warns if a training run on the CPU is likely to need more memory than is free.
func warnOfMemory(job *stage.Job, c smlm.Config, layers int, t recipe.Training, textWords int) {
	batch := float64(t.BatchTokens)
	if t.Precision == recipe.BF16 {
		batch *= 2 // libtorch keeps some numbers in both precisions
	}
	needs := trainingMemory(c, layers, batch, float64(textWords))
	if free, ok := machine.FreeMemory(); ok && needs > free && !torch.OnCUDA() {
		job.Log.Warn("the training may run out of memory: end other programs, or lower batch_tokens",
			"needs about", wording.Bytes(needs), "free", wording.Bytes(free))
	}
}
