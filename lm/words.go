package lm

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// Words holds the ids of ordinary words (no special tokens) of a data set's vocabulary, in
// increasing order. Its text form lists ranges of ids: "9-8570,8572".
type Words []int64

// minCount and unkShare are chosen so that <unk> is frequent enough to be trained, but few words
// are lost (decision 011).
const (
	minCount = 2
	unkShare = 0.001
)

// KnownWords returns the words of the training text that a model should know. All other words are
// trained as <unk>, so that <unk> gets a realistic probability. With a far smaller one, a single
// unknown word in an output would outweigh all other words. Words that occur less than minCount
// times are unknown. If unknown words then make up less than unkShare of the text, as in data sets
// of only frequent words, the rarest other words become unknown too, until the share is reached.
// Among equally rare words, those with the greatest ids become unknown first.
func KnownWords(train [][]int64) Words {
	counts := map[int64]int{}
	total := 0
	for _, row := range train {
		total += len(row)
		for _, id := range row {
			counts[id]++
		}
	}
	var ids Words
	known := 0
	for id, n := range counts {
		if id >= corpus.NumSpecial && n >= minCount {
			ids = append(ids, id)
			known += n
		}
	}
	slices.SortFunc(ids, func(a, b int64) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	for len(ids) > 0 && float64(total-known) < unkShare*float64(total) {
		last := len(ids) - 1
		known -= counts[ids[last]]
		ids = ids[:last]
	}
	slices.Sort(ids)
	return ids
}

// classes returns the model's class of every id up to the greatest known id.
func (w Words) classes() []int64 {
	if len(w) == 0 {
		return nil
	}
	classes := make([]int64, w[len(w)-1]+1)
	for k, id := range w {
		classes[id] = int64(firstWord + k)
	}
	return classes
}

// MarshalText writes the words as ranges of ids.
func (w Words) MarshalText() ([]byte, error) {
	var text []byte
	for i := 0; i < len(w); {
		k := i + 1
		for k < len(w) && w[k] == w[k-1]+1 {
			k++
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, w[i], 10)
		if k-i > 1 {
			text = strconv.AppendInt(append(text, '-'), w[k-1], 10)
		}
		i = k
	}
	return text, nil
}

// maxWords is the greatest id that UnmarshalText accepts.
const maxWords = 1 << 24

// UnmarshalText reads what MarshalText writes.
func (w *Words) UnmarshalText(text []byte) error {
	*w = nil
	if len(text) == 0 {
		return nil
	}
	next := int64(corpus.NumSpecial)
	for part := range strings.SplitSeq(string(text), ",") {
		from, to, isRange := strings.Cut(part, "-")
		a, err := strconv.ParseInt(from, 10, 64)
		b := a
		if err == nil && isRange {
			b, err = strconv.ParseInt(to, 10, 64)
		}
		if err != nil || a < next || b < a || b > maxWords {
			return fmt.Errorf("reading the known words: %q is no range of ids from %d to %d", part, next, maxWords)
		}
		for id := a; id <= b; id++ {
			*w = append(*w, id)
		}
		next = b + 1
	}
	return nil
}
