package guided

import (
	"cmp"
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/machine"
)

// LongestPhrase is the maximum number of words in a phrase.
const LongestPhrase = 4

// The limits of FindPhrases.
const (
	maxSentences    = 100_000 // sentences read per style
	rarePhrase      = 20      // minimum count of a phrase in all styles together
	rareCounterpart = 3       // minimum count of a counterpart in its style
	minGain         = 1.0     // minimum of Counterpart.Gain
	minLikeness     = 0.1     // minimum of Counterpart.Likeness
	maxCounterparts = 10      // maximum number of counterparts of a phrase
)

// Phrase holds the word ids of a phrase, padded with 0.
type Phrase [LongestPhrase]int32

// PhraseOf returns the phrase of these words. There must be no more than LongestPhrase words.
func PhraseOf(ids []int64) (p Phrase) {
	for i, id := range ids {
		p[i] = int32(id)
	}
	return p
}

// IDs returns the ids of the words.
func (p Phrase) IDs() (ids []int64) {
	for _, id := range p {
		if id != 0 {
			ids = append(ids, int64(id))
		}
	}
	return ids
}

// Counterpart is a phrase of another style that can replace a given phrase, because both occur
// between the same words.
type Counterpart struct {
	IDs []int64
	// Likeness is the Bhattacharyya coefficient of the words around both phrases, from 0 to 1.
	Likeness float64
	// Gain is how much the log-odds of the other style rise when the counterpart replaces the
	// phrase.
	Gain float64
}

// Phrases says how each style of a training text uses words and phrases.
type Phrases struct {
	// Counterparts maps phrases of style From to phrases of style To, most alike first.
	Counterparts map[corpus.Direction]map[Phrase][]Counterpart
	// LogP [styles][V] holds log p(w | style).
	LogP [][]float64
}

// odds returns the log-odds of a direction's target style against its source style, given a word.
func (p *Phrases) odds(id int64, d corpus.Direction) float64 {
	return p.LogP[d.To][id] - p.LogP[d.From][id]
}

// around holds the ids of the words before and after a phrase. An id is 0 at the start or end of a
// sentence, where there is no such word.
type around [2]int32

// neighbours is a pair of words around a phrase, and how often the pair occurs there.
type neighbours struct {
	around
	root float64 // square root of the share of the phrase's occurrences that have this pair
}

// usage describes how one style uses a phrase.
type usage struct {
	Phrase
	count      float64
	neighbours []neighbours
}

// FindPhrases builds the phrase table of a training text with the given number of styles. Phrases
// have no unknown words and no punctuation. punctuation tells, by id, which words of the vocabulary
// are punctuation.
func FindPhrases(d corpus.Encoded, styles int, punctuation []bool) *Phrases {
	text := make([][][]int64, styles)
	for i, ids := range d.IDs {
		if s := d.Styles[i]; len(text[s]) < maxSentences {
			text[s] = append(text[s], ids)
		}
	}
	count := countPhrases(text, punctuation)
	usages := make([][]usage, styles)
	for s := range text {
		usages[s] = usagesOf(text[s], punctuation, count)
	}
	found := &Phrases{map[corpus.Direction]map[Phrase][]Counterpart{}, count.logP()}
	for from := range styles {
		for to := range styles {
			if from != to {
				odds := func(p Phrase) float64 { return count.odds(p, from, to) }
				found.Counterparts[corpus.Direction{From: from, To: to}] = counterparts(usages[from], usages[to], odds)
			}
		}
	}
	return found
}

// counts holds how often phrases and words occur, by style.
type counts struct {
	phrases map[Phrase][]float64
	words   [][]float64 // counts of words, by style and id
	total   []float64   // number of words, by style
}

func countPhrases(text [][][]int64, punctuation []bool) counts {
	c := counts{map[Phrase][]float64{}, make([][]float64, len(text)), make([]float64, len(text))}
	for s, sentences := range text {
		c.words[s] = make([]float64, len(punctuation))
		for _, ids := range sentences {
			c.total[s] += float64(len(ids))
			for _, id := range ids {
				c.words[s][id]++
			}
			eachPhrase(ids, punctuation, func(p Phrase, _ around) {
				byStyle := c.phrases[p]
				if byStyle == nil {
					byStyle = make([]float64, len(text))
					c.phrases[p] = byStyle
				}
				byStyle[s]++
			})
		}
	}
	for p, byStyle := range c.phrases {
		sum := 0.0
		for _, n := range byStyle {
			sum += n
		}
		if sum < rarePhrase {
			delete(c.phrases, p)
		}
	}
	return c
}

// odds returns the log-odds of one style (to) against another (from), given a phrase, with add-one
// smoothing.
func (c *counts) odds(p Phrase, from, to int) float64 {
	n := c.phrases[p]
	return c.logShare(n[to], to) - c.logShare(n[from], from)
}

// logShare returns log p of a word or phrase that occurs n times in a style, with add-one
// smoothing.
func (c *counts) logShare(n float64, style int) float64 {
	return math.Log((n + 1) / (c.total[style] + 1))
}

// logP returns log p of each word by style. It adds three to each count. So a word that is too rare
// to show a style has log-odds near 0.
func (c *counts) logP() [][]float64 {
	const added = 3
	logs := make([][]float64, len(c.words))
	for s, words := range c.words {
		for _, n := range words {
			logs[s] = append(logs[s], math.Log((n+added)/(c.total[s]+added)))
		}
	}
	return logs
}

// usagesOf returns how a text uses the phrases in c.
func usagesOf(text [][]int64, punctuation []bool, c counts) (usages []usage) {
	index := map[Phrase]int{}
	var places [][]around
	for _, ids := range text {
		eachPhrase(ids, punctuation, func(p Phrase, a around) {
			if c.phrases[p] == nil {
				return
			}
			k, known := index[p]
			if !known {
				k = len(usages)
				index[p] = k
				usages, places = append(usages, usage{Phrase: p}), append(places, nil)
			}
			places[k] = append(places[k], a)
		})
	}
	machine.Parallel(len(usages), func(k int) { usages[k].summarise(places[k]) })
	return usages
}

// summarise sets count and neighbours, given the words around each occurrence of the phrase.
func (u *usage) summarise(places []around) {
	u.count = float64(len(places))
	slices.SortFunc(places, func(a, b around) int { return slices.Compare(a[:], b[:]) })
	for i := 0; i < len(places); {
		from := i
		for i < len(places) && places[i] == places[from] {
			i++
		}
		u.neighbours = append(u.neighbours, neighbours{places[from], math.Sqrt(float64(i-from) / u.count)})
	}
}

// counterparts returns, for the phrases of one style (from), their counterparts in another style
// (to). The argument odds returns the log-odds of the other style, given a phrase.
func counterparts(from, to []usage, odds func(Phrase) float64) map[Phrase][]Counterpart {
	type user struct {
		k    int
		root float64
	}
	users := map[around][]user{}
	gains := make([]float64, len(to))
	for k, u := range to {
		gains[k] = odds(u.Phrase)
		if u.count < rareCounterpart {
			continue
		}
		for _, n := range u.neighbours {
			users[n.around] = append(users[n.around], user{k, n.root})
		}
	}
	lists := make([][]Counterpart, len(from))
	machine.Parallel(len(from), func(i int) {
		sourceOdds := odds(from[i].Phrase)
		likeness := make([]float64, len(to))
		for _, n := range from[i].neighbours {
			for _, other := range users[n.around] {
				likeness[other.k] += n.root * other.root
			}
		}
		for k, l := range likeness {
			if gain := gains[k] - sourceOdds; l >= minLikeness && gain >= minGain {
				lists[i] = append(lists[i], Counterpart{to[k].IDs(), l, gain})
			}
		}
		slices.SortFunc(lists[i], func(a, b Counterpart) int {
			return cmp.Or(cmp.Compare(b.Likeness, a.Likeness), slices.Compare(a.IDs, b.IDs))
		})
		lists[i] = lists[i][:min(len(lists[i]), maxCounterparts)]
	})
	found := map[Phrase][]Counterpart{}
	for i, u := range from {
		if len(lists[i]) > 0 {
			found[u.Phrase] = lists[i]
		}
	}
	return found
}

// eachPhrase calls fn for each phrase of a sentence. The argument context of fn holds the words
// before and after the phrase.
func eachPhrase(ids []int64, punctuation []bool, fn func(p Phrase, context around)) {
	word := func(k int) int32 {
		if k < 0 || k >= len(ids) {
			return 0
		}
		return int32(ids[k])
	}
	for k := range ids {
		for n := 1; n <= LongestPhrase && k+n <= len(ids); n++ {
			if id := ids[k+n-1]; id == corpus.UnkID || punctuation[id] {
				break
			}
			fn(PhraseOf(ids[k:k+n]), around{word(k - 1), word(k + n)})
		}
	}
}
