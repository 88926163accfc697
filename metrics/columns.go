package metrics

// The numbers of a sentence whose sums over a direction all figures of Sentence are made of.
const (
	colRight = iota
	colMETEOR
	colRougeL
	colCIDEr
	colAverage
	colExtrema
	colGreedy
	colNaturalness
	colLogProb
	colTokens
	colUnknown
	colSource     // BLEUCounts: matches, totals, words, words of the reference
	countColumns  = 2*maxOrder + 2
	colReferences = colSource + countColumns // likewise
	columns       = colReferences + countColumns
)

// row are the columns of one sentence, or their sums; counts are exact in it. What is not known is 0.
type row [columns]float64

func (r *row) add(other *row) {
	for c, v := range other {
		r[c] += v
	}
}

func (r *row) putCounts(at int, c BLEUCounts) {
	for n := range maxOrder {
		r[at+n], r[at+maxOrder+n] = float64(c.Matches[n]), float64(c.Totals[n])
	}
	r[at+2*maxOrder], r[at+2*maxOrder+1] = float64(c.Words), float64(c.ReferenceWords)
}

func (r *row) counts(at int) (c BLEUCounts) {
	for n := range maxOrder {
		c.Matches[n], c.Totals[n] = int(r[at+n]), int(r[at+maxOrder+n])
	}
	c.Words, c.ReferenceWords = int(r[at+2*maxOrder]), int(r[at+2*maxOrder+1])
	return c
}

// known says which columns a sentence has beside those that all have.
type known uint8

const (
	knowsRight known = 1 << iota
	knowsReferences
	knowsMETEOR
	knowsEmbedding
	knowsNaturalness
	knowsFluency
	knowsUnknown
	knowsAll known = 1<<iota - 1
)

// row returns the columns of a sentence.
func (s *Sentence) row() (r row, k known) {
	put := func(bit known, column int, v *float64) {
		if v != nil {
			r[column], k = *v, k|bit
		}
	}
	if s.Right != nil {
		k |= knowsRight
		if *s.Right {
			r[colRight] = 1
		}
	}
	if s.References != nil {
		k |= knowsReferences
		r.putCounts(colReferences, *s.References)
	}
	r.putCounts(colSource, s.Source)
	r[colRougeL], r[colCIDEr], r[colTokens] = s.RougeL, s.CIDEr, float64(s.Tokens)
	put(knowsMETEOR, colMETEOR, s.METEOR)
	put(knowsEmbedding, colAverage, s.EmbeddingAverage)
	put(knowsEmbedding, colExtrema, s.VectorExtrema)
	put(knowsEmbedding, colGreedy, s.GreedyMatching)
	put(knowsNaturalness, colNaturalness, s.Naturalness)
	put(knowsFluency, colLogProb, s.LogProb)
	if s.Unknown != nil {
		r[colUnknown], k = float64(*s.Unknown), k|knowsUnknown
	}
	return r, k
}

// totals are the sums over some sentences of one direction.
type totals struct {
	row
	n     int
	known known // what every sentence has
}

// plus returns the sums over the sentences of both.
func (t totals) plus(other totals) totals {
	t.add(&other.row)
	t.n += other.n
	t.known &= other.known
	return t
}

// ledger holds the rows of both directions, and what all sentences of a direction have.
type ledger struct {
	rows  [2][]row
	known [2]known
}

func ledgerOf(records [2][]Sentence) *ledger {
	l := &ledger{known: [2]known{knowsAll, knowsAll}}
	for d, sentences := range records {
		l.rows[d] = make([]row, len(sentences))
		for i := range sentences {
			var k known
			l.rows[d][i], k = sentences[i].row()
			l.known[d] &= k
		}
	}
	return l
}

// totals sums every sentence once.
func (l *ledger) totals() (both [2]totals) {
	for d, rows := range l.rows {
		both[d] = totals{n: len(rows), known: l.known[d]}
		for i := range rows {
			both[d].add(&rows[i])
		}
	}
	return both
}
