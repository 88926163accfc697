package corpus

import (
	"hash/fnv"
	"io"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// unseenDev is the share of a text that Unseen turns into dev sentences. The other sentences train
// a judge, which is a classifier that decides the style of an output. The dev sentences choose the
// best epoch of this training.
const unseenDev = 0.1

// The function hashed returns a hash of the words of a sentence. For another purpose, the same
// words get an unrelated hash. Fewer than one in a billion pairs of different sentences have equal
// hashes. Such a collision does little harm: one sentence may be left out or counted unnecessarily.
func hashed(purpose string, words Sentence) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, strings.Join(append([]string{purpose}, words...), " ")) // a hash never fails
	// The high bits of FNV depend little on the last letters: mix as MurmurHash3's finalizer does.
	x := h.Sum64()
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// hashFraction returns the result of hashed, scaled to [0, 1).
func hashFraction(purpose string, words Sentence) float64 {
	return float64(hashed(purpose, words)>>11) / (1 << 53)
}

// AsideShare is the share of training sentences that SetAside sets aside to train a judge (see
// unseenDev). Of 10,000 sentences of a style, these are about 500, so the models that rewrite keep
// nearly all sentences.
const AsideShare = 0.05

// SetAside splits the training sentences of each style: about AsideShare of the sentences are set
// aside, and the others stay. A hash of the words decides. So equal sentences go to the same side,
// even if their styles differ, and adding text moves no sentence. Both results keep the file order.
func (d *Dataset) SetAside() (stay, aside [][]Sentence) {
	stay, aside = make([][]Sentence, d.Labels.N()), make([][]Sentence, d.Labels.N())
	for style, text := range d.Text[Train] {
		for _, words := range text {
			if hashFraction("aside", words) < AsideShare {
				aside[style] = append(aside[style], words)
			} else {
				stay[style] = append(stay[style], words)
			}
		}
	}
	return stay, aside
}

// Unseen makes a data set with training and dev sentences from a text, given by style. It leaves
// out sentences that are training or dev sentences of d, in any style; leftOut counts them by
// style. Copies of a sentence go to the same split. A style has sentences in both splits if at
// least two different sentences of the style are left.
func (d *Dataset) Unseen(text [][]Sentence) (unseen *Dataset, leftOut []int) {
	shared := setOf(d.Text[Train], d.Text[Dev])
	unseen, leftOut = NewDataset(d.Name, slices.Clone(d.Labels)), make([]int, len(text))
	for style, sentences := range text {
		kept := lists.Filter(sentences, func(words Sentence) bool { return !shared.has(words) })
		leftOut[style] = len(sentences) - len(kept)
		unseen.Text[Train][style], unseen.Text[Dev][style] = withDev(kept)
	}
	return unseen, leftOut
}

// withDev splits sentences into training and dev sentences. With two or more different sentences,
// neither part is empty.
func withDev(all []Sentence) (train, dev []Sentence) {
	if len(all) == 0 {
		return nil, nil
	}
	fractions := make([]float64, len(all))
	for i, words := range all {
		fractions[i] = hashFraction("dev", words)
	}
	// Unless all sentences are equal, the sentence with the lowest fraction is always a dev
	// sentence, and the sentence with the highest fraction is always a training sentence.
	lowest, highest := slices.Min(fractions), slices.Max(fractions)
	for i, words := range all {
		if fractions[i] < highest && fractions[i] <= max(unseenDev, lowest) {
			dev = append(dev, words)
		} else {
			train = append(train, words)
		}
	}
	return train, dev
}
