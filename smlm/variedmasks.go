package smlm

import (
	"math/rand/v2"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// VariedMasks says how masks differ from epoch to epoch of a training.
type VariedMasks = recipe.VariedMasks

// Each use of random numbers has a stream of its own.
const maskStream = 0x6d61736b

// varied returns the masks that an epoch trains with. Of a share v.Reveal of the sentences only
// some of the masked words stay masked: how many is drawn evenly from one to all, and so is which
// (Ghazvininejad et al. 2019, section 3.1, train conditional masked language models like this), so
// that the model also meets sentences as the filling of one mask a pass has them. And each other
// word is masked with probability v.RandomMasks. The masks are a function of seed and epoch alone:
// a training that is gone on with draws them again.
func varied(masks [][]bool, v VariedMasks, seed uint64, epoch int) [][]bool {
	if v == (VariedMasks{}) {
		return masks
	}
	rng := rand.New(rand.NewPCG(seed^maskStream, uint64(epoch)))
	out := make([][]bool, len(masks))
	for i, mask := range masks {
		out[i] = drawn(mask, v, rng)
	}
	return out
}

// drawn returns a sentence's masks of one epoch; there is always one where mask has one.
func drawn(mask []bool, v VariedMasks, rng *rand.Rand) []bool {
	out := make([]bool, len(mask))
	var masked []int
	for k, on := range mask {
		if on {
			masked = append(masked, k)
		} else if v.RandomMasks > 0 {
			out[k] = rng.Float64() < v.RandomMasks
		}
	}
	stay := len(masked)
	if stay > 1 && v.Reveal > 0 && rng.Float64() < v.Reveal {
		stay = 1 + rng.IntN(stay)
		rng.Shuffle(len(masked), func(i, j int) { masked[i], masked[j] = masked[j], masked[i] })
	}
	for _, k := range masked[:stay] {
		out[k] = true
	}
	return out
}
