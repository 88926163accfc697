package intake

import (
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// pair is a source and its rewrites, as indices of a set's rows.
type pair struct {
	source   int
	rewrites []int
	split    corpus.Split // if named
	named    bool
}

// The styles of the two sides of a pair, as indices of the labels.
const (
	from = 0
	to   = 1
)

// addPair takes a row of a table of pairs. If one side cannot be cut into words, or there is no
// rewrite, the other texts stand alone.
func (s *Set) addPair(r Row) error {
	source, err := s.take(r, r.Text, from)
	if err != nil {
		return err
	}
	p := pair{source: source, named: r.Split != ""}
	for _, rewrite := range r.Rewrites {
		at, err := s.take(r, rewrite, to)
		if err != nil {
			return err
		}
		if at >= 0 {
			p.rewrites = append(p.rewrites, at)
		}
	}
	if source < 0 || len(p.rewrites) == 0 {
		for _, at := range append(p.rewrites, source) {
			if at >= 0 {
				s.rows[at].alone = true
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

// placed says where the rows of a set go.
type placed struct {
	split    []corpus.Split
	left     []bool        // rows left out
	rewrites map[int][]int // of a test sentence, without repeats, in pair order
	leaks    int           // rows left out because a later split has a part of all their pairs
	alone    int           // rows left out because they are test sentences without a rewrite
}

// place chooses the splits of the rows. Pairs without a named split that share a sentence go to the
// same split, so that no pair is torn apart. The alphabetically first of their sources determines
// this split, so more rewrites of the same sources move no pair. A pair with a named split is
// dropped if a later split has one of its sentences.
func (s *Set) place() placed {
	p := placed{split: make([]corpus.Split, len(s.rows)), left: make([]bool, len(s.rows)), rewrites: map[int][]int{}}
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
	whole := make([]bool, len(s.rows)) // rows that stand alone, or in a pair that is kept
	for i := range s.rows {
		whole[i] = s.rows[i].alone
	}
	for _, pair := range s.pairs {
		all := append(slices.Clone(pair.rewrites), pair.source)
		split := pair.split
		if !pair.named {
			split = groups[pair.source].split
		}
		if slices.ContainsFunc(all, func(i int) bool { return !s.rows[i].both() && p.split[i] != split }) {
			continue
		}
		for _, i := range all {
			whole[i] = true
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
		tested := p.split[i] == corpus.Test && r.label == from
		switch {
		case r.both():
		case !whole[i]:
			p.left[i] = true
			p.leaks++
		case !tested || p.rewrites[i] != nil:
		case r.named:
			p.left[i] = true
			p.alone++
		default: // every test sentence needs a reference
			p.split[i] = corpus.Train
		}
	}
	return p
}

// group is pairs without named splits that share sentences.
type group struct {
	first string // first source by the alphabet
	split corpus.Split
	named bool // one of its sentences is in a row that names its split
}

// groups returns the group of each row, or nil.
func (s *Set) groups() []*group {
	above := make([]int, len(s.rows))
	for i := range above {
		above[i] = i
	}
	find := func(i int) int {
		for above[i] != i {
			above[i] = above[above[i]]
			i = above[i]
		}
		return i
	}
	for _, p := range s.pairs {
		for _, i := range p.rewrites {
			if !p.named {
				above[find(i)] = find(p.source)
			}
		}
	}
	at := map[int]*group{}
	for _, p := range s.pairs {
		if p.named {
			continue
		}
		root, text := find(p.source), strings.Join(s.rows[p.source].words, " ")
		if at[root] == nil {
			at[root] = &group{first: text}
		}
		at[root].first = min(at[root].first, text)
	}
	of := make([]*group, len(s.rows))
	for i := range s.rows {
		g := at[find(i)]
		of[i] = g
		if g != nil && s.rows[i].named {
			g.split, g.named = max(g.split, s.rows[i].split), true
		}
	}
	for _, g := range at {
		if !g.named {
			g.split = s.splitOf(g.first)
		}
	}
	return of
}

// references returns the sets of references: as many as the largest number of rewrites of a test
// sentence. Sentences with fewer rewrites repeat their last one.
func (s *Set) references(styles corpus.Styles, tests []int, rewrites map[int][]int) [][][]corpus.Sentence {
	most := 0
	for _, i := range tests {
		most = max(most, len(rewrites[i]))
	}
	way := slices.Index(styles.Directions(), corpus.Direction{From: from, To: to})
	sets := make([][][]corpus.Sentence, most)
	for k := range sets {
		sets[k] = make([][]corpus.Sentence, len(styles.Directions()))
		for _, i := range tests {
			if n := len(rewrites[i]); n > 0 {
				sets[k][way] = append(sets[k][way], s.rows[rewrites[i][min(k, n-1)]].words)
			}
		}
	}
	return sets
}
