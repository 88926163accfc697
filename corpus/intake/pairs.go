package intake

import (
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// pair holds a source and its rewrites, as indices into the rows of a Set.
type pair struct {
	source   int
	rewrites []int
	split    corpus.Split // valid if named is set
	named    bool         // set if the row names its split
}

// The styles of the two sides of a pair, as indices of the labels.
const (
	sourceStyle = 0
	targetStyle = 1
)

// addPair adds a row of a table of pairs. It leaves out texts that cannot be cut into words. If
// this leaves no source or no rewrite, the other texts of the row are added as unpaired texts.
func (s *Set) addPair(r Row) error {
	source, err := s.addText(r, r.Text, sourceStyle)
	if err != nil {
		return err
	}
	p := pair{source: source, named: r.Split != ""}
	for _, rewrite := range r.Rewrites {
		index, err := s.addText(r, rewrite, targetStyle)
		if err != nil {
			return err
		}
		if index >= 0 {
			p.rewrites = append(p.rewrites, index)
		}
	}
	if source < 0 || len(p.rewrites) == 0 {
		for _, index := range append(p.rewrites, source) {
			if index >= 0 {
				s.rows[index].unpaired = true
			}
		}
		return nil
	}
	if p.named {
		if p.split, err = splitNamed(r); err != nil {
			return err
		}
	}
	s.pairs = append(s.pairs, p)
	return nil
}

// placement says which split each row of a set goes to, and which rows are left out.
type placement struct {
	split    []corpus.Split
	leftOut  []bool        // marks rows that are left out
	rewrites map[int][]int // rewrites of each test sentence, without repeats, in the order of the pairs
	leaks    int           // number of rows left out because all their pairs were dropped (see place)
	unpaired int           // number of rows left out as test sentences without a rewrite
}

// place chooses the splits of the rows. A pair that names a split stays there, or is dropped if one
// of its sentences is in a later split. Other pairs that share a sentence go to the same split, so
// that both sides of a pair are in one split. The first source of these pairs in alphabetical order
// decides which split this is, so more rewrites of the same sources move no pair. But if one of the
// sentences also occurs in a row that names a split, all the pairs go to that split.
func (s *Set) place() placement {
	p := placement{
		split: make([]corpus.Split, len(s.rows)), leftOut: make([]bool, len(s.rows)), rewrites: map[int][]int{},
	}
	for i := range s.rows {
		p.split[i] = s.rows[i].split
	}
	if len(s.pairs) == 0 {
		return p
	}
	groups := s.groups()
	for i := range s.rows {
		if g := groups[i]; g != nil {
			p.split[i] = g.split
		}
	}
	kept := make([]bool, len(s.rows)) // marks rows that are unpaired or in a pair that is kept
	for i := range s.rows {
		kept[i] = s.rows[i].unpaired
	}
	for _, pair := range s.pairs {
		rows := append(slices.Clone(pair.rewrites), pair.source)
		split := pair.split
		if !pair.named {
			split = groups[pair.source].split
		}
		if slices.ContainsFunc(rows, func(i int) bool { return !s.rows[i].inSeveralStyles() && p.split[i] != split }) {
			continue
		}
		for _, i := range rows {
			kept[i] = true
		}
		if split != corpus.Test {
			continue
		}
		for _, i := range pair.rewrites {
			if known := p.rewrites[pair.source]; !slices.Contains(known, i) {
				p.rewrites[pair.source] = append(known, i)
			}
		}
	}
	for i := range s.rows {
		r := &s.rows[i]
		tested := p.split[i] == corpus.Test && r.label == sourceStyle
		switch {
		case r.inSeveralStyles():
		case !kept[i]:
			p.leftOut[i] = true
			p.leaks++
		case !tested || p.rewrites[i] != nil:
		case r.named:
			p.leftOut[i] = true
			p.unpaired++
		default: // move the sentence to train, because every test sentence needs a reference
			p.split[i] = corpus.Train
		}
	}
	return p
}

// group is a set of pairs that are linked by shared sentences. The rows of these pairs name no
// split.
type group struct {
	first string // alphabetically first source
	split corpus.Split
	named bool // set if a sentence of the group also occurs in a row that names its split
}

// groups returns the group of each row, or nil for a row that belongs to no group.
func (s *Set) groups() []*group {
	parent := make([]int, len(s.rows))
	for i := range parent {
		parent[i] = i
	}
	find := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for _, p := range s.pairs {
		for _, i := range p.rewrites {
			if !p.named {
				parent[find(i)] = find(p.source)
			}
		}
	}
	byRoot := map[int]*group{}
	for _, p := range s.pairs {
		if p.named {
			continue
		}
		root, text := find(p.source), strings.Join(s.rows[p.source].words, " ")
		if byRoot[root] == nil {
			byRoot[root] = &group{first: text}
		}
		byRoot[root].first = min(byRoot[root].first, text)
	}
	byRow := make([]*group, len(s.rows))
	for i := range s.rows {
		g := byRoot[find(i)]
		byRow[i] = g
		if g != nil && s.rows[i].named {
			g.split, g.named = max(g.split, s.rows[i].split), true
		}
	}
	for _, g := range byRoot {
		if !g.named {
			g.split = s.splitOf(g.first)
		}
	}
	return byRow
}

// references returns the sets of references. There are as many sets as the largest number of
// rewrites of a test sentence. If a sentence has fewer rewrites, its last rewrite fills the
// remaining sets.
func (s *Set) references(styles corpus.Styles, tests []int, rewrites map[int][]int) [][][]corpus.Sentence {
	most := 0
	for _, i := range tests {
		most = max(most, len(rewrites[i]))
	}
	direction := slices.Index(styles.Directions(), corpus.Direction{From: sourceStyle, To: targetStyle})
	sets := make([][][]corpus.Sentence, most)
	for k := range sets {
		sets[k] = make([][]corpus.Sentence, len(styles.Directions()))
		for _, i := range tests {
			if n := len(rewrites[i]); n > 0 {
				sets[k][direction] = append(sets[k][direction], s.rows[rewrites[i][min(k, n-1)]].words)
			}
		}
	}
	return sets
}
