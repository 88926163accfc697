package metrics

import (
	"fmt"
	"math/rand/v2"
)

// madeUp returns invented sentences of so many words, frequent words more often than rare ones.
func madeUp(seed uint64, sentences, words int) [][]string {
	rng := rand.New(rand.NewPCG(seed, 1))
	all := make([][]string, sentences)
	for i := range all {
		for range words {
			all[i] = append(all[i], madeUpWord(rng))
		}
	}
	return all
}

func madeUpWord(rng *rand.Rand) string {
	return fmt.Sprintf("w%d", int(200*rng.Float64()*rng.Float64()))
}
