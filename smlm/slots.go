package smlm

import (
	"math/rand/v2"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// emptyID is the empty word, the target of slots that hold no word. It is <eos>, which nothing else
// predicts where targets are not shifted: so vocabulary and weights have the same sizes with slots
// and without.
const emptyID = guided.Empty

// slotStream keeps the draws of slots apart from others by the same seed.
const slotStream = 0x736c6f74

// devEpoch stands for the epoch in what is drawn of the dev sentences: in all epochs the same.
const devEpoch = -1

// withSlots returns training sentences as an epoch sees them: each masked word becomes a group of
// s.Slots slots, all of them masked, whose targets are the word and then empty words. A share
// s.Merge of the groups takes in the word after it too, masked or not but never one that is kept, a
// share of these the one after that, and so on as long as there is a slot. In a share s.Gaps of the
// gaps between words, and before the first and after the last, stands a group whose targets are
// empty words alone. So the model learns that one mask may hide several words, or none. It is a
// function of seed and epoch alone. Without slots sentences are as they are.
func withSlots(d corpus.Encoded, s recipe.Slotting, seed uint64, epoch int) corpus.Encoded {
	if s.Slots == 0 {
		return d
	}
	rng := rand.New(rand.NewPCG(seed^slotStream, uint64(epoch)))
	ids, masks := make([][]int64, len(d.IDs)), make([][]bool, len(d.IDs))
	for i := range ids {
		keeps := func(k int) bool { return d.Keeps(i, k) }
		ids[i], masks[i] = drawSlots(d.IDs[i], d.Masks[i], keeps, s, rng)
	}
	d.IDs, d.Masks, d.Kept = ids, masks, nil
	return d
}

// drawSlots returns a sentence's words and masks with slots.
func drawSlots(
	words []int64, mask []bool, keeps func(k int) bool, s recipe.Slotting, rng *rand.Rand,
) (ids []int64, masks []bool) {
	group := func(hidden []int64) {
		ids = append(append(ids, hidden...), slices.Repeat([]int64{emptyID}, s.Slots-len(hidden))...)
		masks = append(masks, slices.Repeat([]bool{true}, s.Slots)...)
	}
	for k := 0; ; {
		if s.Gaps > 0 && rng.Float64() < s.Gaps {
			group(nil)
		}
		if k == len(words) {
			return ids, masks
		}
		from := k
		k++
		if !mask[from] {
			ids, masks = append(ids, words[from]), append(masks, false)
			continue
		}
		for k < len(words) && k-from < s.Slots && s.Merge > 0 && !keeps(k) && rng.Float64() < s.Merge {
			k++
		}
		group(words[from:k])
	}
}

// withOpenSlots returns sentences whose masks are to be filled, each mask a group of so many slots.
// What ids stand at masks does not matter.
func withOpenSlots(d corpus.Encoded, slots int) corpus.Encoded {
	return withSlots(d, recipe.Slotting{Slots: slots}, 0, 0) // nothing is drawn
}
