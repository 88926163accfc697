package folder

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"unicode/utf8"

	"github.com/sugarme/tokenizer/model"
	"github.com/sugarme/tokenizer/model/wordpiece"
)

// pieceMaker makes pieces of a part of a text, which is not empty.
type pieceMaker interface {
	pieces(part string) []int64
}

// modelFile is a model as tokenizer.json has it.
type modelFile struct {
	Type       string     `json:"type"`
	Vocabulary vocabulary `json:"vocab"`
	Merges     merges     `json:"merges"`
	UnkToken   *string    `json:"unk_token"`
	UnkID      *int       `json:"unk_id"`
	Prefix     *string    `json:"continuing_subword_prefix"`
	MostRunes  *int       `json:"max_input_chars_per_word"`
	FuseUnk    bool       `json:"fuse_unk"`

	// Not read, where they are set.
	Dropout      *float64 `json:"dropout"`
	Suffix       *string  `json:"end_of_word_suffix"`
	ByteFallback bool     `json:"byte_fallback"`
	IgnoreMerges bool     `json:"ignore_merges"`
}

// open returns the model.
func (f *modelFile) open() (pieceMaker, error) {
	kind := f.Type
	if kind == "" { // old files do not name it
		switch {
		case f.Vocabulary.scores != nil:
			kind = "Unigram"
		case f.Merges != nil:
			kind = "BPE"
		case f.MostRunes != nil:
			kind = "WordPiece"
		}
	}
	if len(f.Vocabulary.pieces) == 0 {
		return nil, errors.New("it has no vocabulary")
	}
	switch {
	case f.Dropout != nil && *f.Dropout != 0, f.Suffix != nil && *f.Suffix != "", f.ByteFallback, f.IgnoreMerges,
		kind == "BPE" && f.Prefix != nil && *f.Prefix != "":
		return nil, notRead("a model with dropout, a prefix of BPE, a suffix, byte_fallback or ignore_merges")
	case kind == "WordPiece" && f.Vocabulary.scores == nil:
		return f.wordPiece()
	case kind == "BPE" && f.Vocabulary.scores == nil:
		return f.bpe()
	case kind == "Unigram" && f.Vocabulary.scores != nil:
		return f.unigram()
	}
	return nil, notRead(fmt.Sprintf("the model %q", kind))
}

// wordPiece is the library's: the longest piece first, and one unknown piece for the whole part
// where no piece fits.
type wordPiece struct {
	of  wordpiece.WordPiece
	unk int64
}

// mostRunes bounds how long a part may be that WordPiece cuts: the time grows with its square.
const mostRunes = 1000

func (f *modelFile) wordPiece() (pieceMaker, error) {
	prefix, most, unk := "##", 100, "[UNK]"
	if f.Prefix != nil {
		prefix = *f.Prefix
	}
	if f.MostRunes != nil {
		most = *f.MostRunes
	}
	if f.UnkToken != nil {
		unk = *f.UnkToken
	}
	id, ok := f.Vocabulary.ids[unk]
	if !ok {
		return nil, fmt.Errorf("its vocabulary lacks the unknown piece %.40q", unk)
	}
	if most < 0 || most > mostRunes {
		return nil, notRead(fmt.Sprintf("max_input_chars_per_word %d", most))
	}
	vocab := model.Vocab(f.Vocabulary.ids)
	// The library's New does not read the prefix.
	return &wordPiece{
		wordpiece.NewWordPieceBuilder().Vocab(&vocab).UnkToken(unk).ContinuingSubwordPrefix(prefix).
			MaxInputCharsPerWord(most).Build(), int64(id),
	}, nil
}

func (m *wordPiece) pieces(part string) []int64 {
	tokens, err := m.of.Tokenize(part)
	if err != nil { // of a vocabulary without unknown piece, which open refuses
		return []int64{m.unk}
	}
	ids := make([]int64, len(tokens))
	for i, t := range tokens {
		ids[i] = int64(t.Id)
	}
	return ids
}

// bpe merges the runes of a part, pair by pair: of all pairs the one of least rank, and the
// leftmost of those.
type bpe struct {
	ids     map[string]int
	merges  map[pair]merge
	unk     int // -1: what is unknown is left out
	fuseUnk bool
}

type (
	pair  struct{ left, right int32 }
	merge struct{ rank, id int32 }
)

func (f *modelFile) bpe() (pieceMaker, error) {
	m := &bpe{f.Vocabulary.ids, make(map[pair]merge, len(f.Merges)), -1, f.FuseUnk}
	if f.UnkToken != nil && *f.UnkToken != "" {
		id, ok := m.ids[*f.UnkToken]
		if !ok {
			return nil, fmt.Errorf("its vocabulary lacks the unknown piece %.40q", *f.UnkToken)
		}
		m.unk = id
	}
	for rank, of := range f.Merges {
		left, ok1 := m.ids[of[0]]
		right, ok2 := m.ids[of[1]]
		both, ok3 := m.ids[of[0]+of[1]]
		if !ok1 || !ok2 || !ok3 {
			return nil, fmt.Errorf("its merge %d, of %.40q and %.40q, uses pieces that are not in the "+
				"vocabulary", rank+1, of[0], of[1])
		}
		m.merges[pair{int32(left), int32(right)}] = merge{int32(rank), int32(both)}
	}
	return m, nil
}

// symbol is a piece among those of a part; id is -1 when it went into another.
type symbol struct {
	id         int32
	prev, next int
}

// candidate is a pair that may be merged: the symbol at a place and its next.
type candidate struct {
	merge
	at int
}

type candidates []candidate

func (c candidates) Len() int { return len(c) }
func (c candidates) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(c[i].rank, c[j].rank), cmp.Compare(c[i].at, c[j].at)) < 0
}
func (c candidates) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c *candidates) Push(of any)  { *c = append(*c, of.(candidate)) }
func (c *candidates) Pop() any {
	last := len(*c) - 1
	of := (*c)[last]
	*c = (*c)[:last]
	return of
}

func (m *bpe) pieces(part string) []int64 {
	symbols := m.symbols(part)
	mergeAt := func(at int) (merge, bool) {
		if at < 0 || symbols[at].id < 0 || symbols[at].next == len(symbols) {
			return merge{}, false
		}
		of, ok := m.merges[pair{symbols[at].id, symbols[symbols[at].next].id}]
		return of, ok
	}
	var open candidates
	push := func(at int) {
		if of, ok := mergeAt(at); ok {
			heap.Push(&open, candidate{of, at})
		}
	}
	for at := range symbols {
		push(at)
	}
	for len(open) > 0 {
		of := heap.Pop(&open).(candidate)
		if now, ok := mergeAt(of.at); !ok || now.id != of.id { // another merge took one of the two
			continue
		}
		left := &symbols[of.at]
		right := &symbols[left.next]
		left.id, right.id = of.id, -1
		left.next = right.next
		if left.next < len(symbols) {
			symbols[left.next].prev = of.at
		}
		push(left.prev)
		push(of.at)
	}
	var ids []int64
	for _, s := range symbols {
		if s.id >= 0 {
			ids = append(ids, int64(s.id))
		}
	}
	return ids
}

// symbols are the runes of a part.
func (m *bpe) symbols(part string) []symbol {
	var out []symbol
	unknown := false
	for _, r := range part {
		id, ok := m.ids[string(r)]
		if !ok && (m.unk < 0 || m.fuseUnk && unknown) {
			continue
		}
		if unknown = !ok; unknown {
			id = m.unk
		}
		out = append(out, symbol{int32(id), len(out) - 1, len(out) + 1})
	}
	return out
}

// unigram finds the pieces of a part whose scores have the largest sum.
type unigram struct {
	all      []string // by id
	scores   []float64
	order    []int32 // ids in the order of their pieces
	unk      int
	unkScore float64
}

func (f *modelFile) unigram() (pieceMaker, error) {
	n := len(f.Vocabulary.pieces)
	if f.UnkID == nil || *f.UnkID < 0 || *f.UnkID >= n {
		return nil, errors.New("its unk_id is not the id of a piece")
	}
	m := &unigram{f.Vocabulary.pieces, f.Vocabulary.scores, make([]int32, n), *f.UnkID, 0}
	m.unkScore = slices.Min(m.scores) - 10
	for i := range m.order {
		m.order[i] = int32(i)
	}
	slices.SortFunc(m.order, func(a, b int32) int { return cmp.Compare(m.all[a], m.all[b]) })
	return m, nil
}

// begins calls do with the ids of the pieces that a text begins with, from the shortest on.
func (m *unigram) begins(text string, do func(id int32)) {
	among := m.order
	for n := 0; ; n++ { // all among begin as the text does for n bytes
		if n > 0 && len(m.all[among[0]]) == n {
			do(among[0])
			among = among[1:]
		}
		if n == len(text) {
			return
		}
		b := text[n]
		among = among[sort.Search(len(among), func(i int) bool { return at(m.all[among[i]], n) >= int(b) }):]
		among = among[:sort.Search(len(among), func(i int) bool { return at(m.all[among[i]], n) > int(b) })]
		if len(among) == 0 {
			return
		}
	}
}

// at is a byte of a piece, -1 after its end.
func at(piece string, n int) int {
	if n < len(piece) {
		return int(piece[n])
	}
	return -1
}

// pieces is Viterbi's: for each place the best last piece of what ends there, of equal ones the
// first. A rune that is no piece may be an unknown one; those in a row are one.
func (m *unigram) pieces(part string) []int64 {
	type end struct {
		score float64
		from  int
		id    int
	}
	best := make([]end, len(part)+1)
	for i := 1; i < len(best); i++ {
		best[i] = end{math.Inf(-1), -1, m.unk}
	}
	for from := 0; from < len(part); {
		_, width := utf8.DecodeRuneInString(part[from:])
		single := false
		offer := func(to, id int, score float64) {
			if score += best[from].score; score > best[to].score || best[to].from < 0 {
				best[to] = end{score, from, id}
			}
		}
		m.begins(part[from:], func(id int32) {
			length := len(m.all[id])
			offer(from+length, int(id), m.scores[id])
			single = single || length == width
		})
		if !single {
			offer(from+width, m.unk, m.unkScore)
		}
		from += width
	}
	var ids []int64
	for to := len(part); to > 0; to = best[to].from {
		if id := best[to].id; id != m.unk || len(ids) == 0 || ids[len(ids)-1] != int64(m.unk) {
			ids = append(ids, int64(id))
		}
	}
	slices.Reverse(ids)
	return ids
}
