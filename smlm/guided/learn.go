package guided

import (
	"encoding/csv"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"gonum.org/v1/gonum/mat"
)

// Rated is an output that readers rated.
type Rated struct {
	Direction string // as corpus.Styles names it
	Line      int    // of the source in the file of its style's dev sentences, from 1 on
	Source    uint32 // Checksum of its words
	Edits     []Edit
	Scores    [3][]float64 // of style, content and fluency, 0, 1 or 2, by reader
	Features  Features
}

// sentence says which one it is an output of: outputs of one are compared.
func (r *Rated) sentence() string { return fmt.Sprint(r.Direction, ", line ", r.Line) }

// RatedSentences are sentences of which outputs were rated, known by their direction and words: the
// line of a sentence may be another one now.
type RatedSentences map[ratedSentence]bool

type ratedSentence struct {
	direction string
	sum       uint32 // Checksum
}

// Add adds those of some outputs.
func (s RatedSentences) Add(rated []Rated) {
	for _, r := range rated {
		s[ratedSentence{r.Direction, r.Source}] = true
	}
}

// Has tells whether a sentence is one of them.
func (s RatedSentences) Has(direction string, words []string) bool {
	return s[ratedSentence{direction, Checksum(words)}]
}

// Edit is what an output has in the place of a word of its source.
type Edit struct {
	Place int      // of the source, from 0 on
	New   []string // none where the word is deleted
}

// Checksum returns the CRC-32 of a sentence, its words with a space between them.
func Checksum(words []string) uint32 { return crc32.ChecksumIEEE([]byte(strings.Join(words, " "))) }

// ratedHeader is that of a file of rated outputs. source is
// Checksum in hexadecimal. An edit is written as its place, the number of new words and these, with
// spaces between them and between edits. A score is written as a digit a reader: 21 where the first
// gave 2 and the second 1. The files to which the shipped rankers were fitted also have the columns
// FeatureNames.
var ratedHeader = []string{"direction", "line", "source", "edits", "style", "content", "fluency"}

// firstScore is the field of the first score.
const firstScore = 4

// ReadRated reads a CSV file of rated outputs, which has no sentence: direction and line of the
// source, what was changed in it, what readers gave the output, and its features. Errors are
// userr.BadInput and name file and line.
func ReadRated(path string) ([]Rated, error) {
	raw, err := files.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, userr.New(userr.BadInput, "the file of rated outputs %q does not exist: correct the path", path)
	} else if err != nil {
		return nil, userr.New(userr.BadInput, "the file of rated outputs %q cannot be read (%w): give a readable CSV file", path,
			files.Cause(err))
	}
	c := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(raw), "\ufeff"))) // spreadsheets write this mark
	c.FieldsPerRecord = -1
	columns := 0
	var out []Rated
	for n := 0; ; n++ {
		fields, err := c.Read()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, userr.New(userr.BadInput, "rated outputs %s: %w: correct the line", path, err)
		}
		line, _ := c.FieldPos(0)
		if n == 0 {
			columns = len(fields)
			withFeatures := slices.Concat(ratedHeader, FeatureNames[:])
			if !slices.Equal(fields, ratedHeader) && !slices.Equal(fields, withFeatures) {
				return nil, userr.New(userr.BadInput, "rated outputs %s:%d: the first line must be %s; give a file as "+
					"`smlm-exp human tally` writes it", path, line, strings.Join(ratedHeader, ","))
			}
			continue
		}
		r, wrong := ratedOf(fields, columns)
		if wrong != "" {
			return nil, userr.New(userr.BadInput, "rated outputs %s:%d: %s", path, line, wrong)
		}
		out = append(out, r)
	}
	if len(out) == 0 {
		return nil, userr.New(userr.BadInput, "%s has no rated output below its header: add some", path)
	}
	return out, nil
}

// ratedOf returns the output of a line's fields, or what is wrong with them.
func ratedOf(fields []string, columns int) (r Rated, wrong string) {
	if len(fields) != columns {
		return r, fmt.Sprintf("there are %d fields, but there must be %d", len(fields), columns)
	}
	r.Direction = fields[0]
	line, err := strconv.Atoi(fields[1])
	if err != nil || line < 1 {
		return r, fmt.Sprintf("line is %.20q, but must be a number from 1 on", fields[1])
	}
	r.Line = line
	sum, err := strconv.ParseUint(fields[2], 16, 32)
	if err != nil {
		return r, fmt.Sprintf("source is %.20q, but must be a checksum of eight hexadecimal digits", fields[2])
	}
	r.Source = uint32(sum)
	var right bool
	if r.Edits, right = editsOf(strings.Fields(fields[3])); !right {
		return r, fmt.Sprintf("edits are %.60q, but must be a place, the number of new words and these, in the order of "+
			"places, such as \"3 1 great 5 0\"", fields[3])
	}
	scores := fields[firstScore : firstScore+len(r.Scores)]
	for i, digits := range scores {
		for _, d := range digits {
			if d < '0' || d > '2' {
				return r, fmt.Sprintf("%s is %.20q, but must be one digit from 0 to 2 for each reader, such "+
					"as 21", ratedHeader[firstScore+i], digits)
			}
			r.Scores[i] = append(r.Scores[i], float64(d-'0'))
		}
		if len(digits) == 0 || len(digits) != len(scores[0]) {
			return r, "style, content and fluency must have one digit for each of one or more readers (a spreadsheet " +
				"turns 01 into 1: give the file as `smlm-exp human tally` wrote it)"
		}
	}
	for i, text := range fields[firstScore+len(r.Scores):] {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return r, fmt.Sprintf("%s is %.20q, but must be a number", FeatureNames[i], text)
		}
		r.Features[i] = v
	}
	return r, ""
}

// editsOf reads edits; right tells whether they are some.
func editsOf(fields []string) (edits []Edit, right bool) {
	for len(fields) > 0 {
		if len(fields) < 2 {
			return nil, false
		}
		place, err := strconv.Atoi(fields[0])
		count, err2 := strconv.Atoi(fields[1])
		if err != nil || err2 != nil || count < 0 || count > len(fields)-2 || place < 0 ||
			len(edits) > 0 && place <= edits[len(edits)-1].Place {
			return nil, false
		}
		edits = append(edits, Edit{Place: place, New: fields[2 : 2+count]})
		fields = fields[2+count:]
	}
	return edits, true
}

// Changes returns the edits as a file has them.
func (r *Rated) Changes() string {
	var fields []string
	for _, e := range r.Edits {
		fields = append(append(fields, strconv.Itoa(e.Place), strconv.Itoa(len(e.New))), e.New...)
	}
	return strings.Join(fields, " ")
}

// Output returns the words of the output, and the places of the source in which they stand. It is
// false if this is another sentence.
func (r *Rated) Output(source []string) (words []string, places []int, of bool) {
	edits := r.Edits
	if Checksum(source) != r.Source {
		return nil, nil, false
	}
	for k, word := range source {
		here := []string{word}
		if len(edits) > 0 && edits[0].Place == k {
			here, edits = edits[0].New, edits[1:]
		}
		words = append(words, here...)
		places = append(places, slices.Repeat([]int{k}, len(here))...)
	}
	return words, places, len(edits) == 0
}

// WriteRated writes what ReadRated reads, without features.
func WriteRated(w io.Writer, rated []Rated) error {
	c := csv.NewWriter(w)
	if err := c.Write(ratedHeader); err != nil {
		return err
	}
	for _, r := range rated {
		fields := []string{r.Direction, strconv.Itoa(r.Line), fmt.Sprintf("%08x", r.Source), r.Changes()}
		for _, scores := range r.Scores {
			digits := ""
			for _, s := range scores {
				digits += strconv.Itoa(int(s))
			}
			fields = append(fields, digits)
		}
		if err := c.Write(fields); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// Pooled returns each output once, with the scores of all readers who rated it, in the order in
// which the outputs come first. Features are those of the first.
func Pooled(rated []Rated) (pooled []Rated) {
	type output struct {
		direction string
		source    uint32
		changes   string
	}
	at := map[output]int{}
	for _, r := range rated {
		of := output{r.Direction, r.Source, r.Changes()}
		k, seen := at[of]
		if !seen {
			at[of] = len(pooled)
			pooled = append(pooled, r)
			continue
		}
		for i := range r.Scores {
			pooled[k].Scores[i] = slices.Concat(pooled[k].Scores[i], r.Scores[i])
		}
	}
	return pooled
}

// best returns the share of readers who gave a score of 2.
func (r *Rated) best(score int) float64 {
	n := 0.0
	for _, s := range r.Scores[score] {
		if s == 2 {
			n++
		}
	}
	return n / float64(len(r.Scores[score]))
}

// Best returns the shares of readers who gave style, content and fluency the best score.
func (r *Rated) Best() (shares [3]float64) {
	for k := range shares {
		shares[k] = r.best(k)
	}
	return shares
}

// Total returns the mean of the readers' sums of scores, 0 to 6.
func (r *Rated) Total() (sum float64) {
	for _, scores := range r.Scores {
		for _, s := range scores {
			sum += s
		}
	}
	return sum / float64(len(r.Scores[0]))
}

// Flawless returns the share of readers who gave 2 three times.
func (r *Rated) Flawless() (share float64) {
	for k := range r.Scores[0] {
		if r.Scores[0][k]+r.Scores[1][k]+r.Scores[2][k] == 6 {
			share += 1 / float64(len(r.Scores[0]))
		}
	}
	return share
}

// ridge is the weight of the squares of a regression's weights beside the log likelihood.
const ridge = 3

// isUneven tells whether a word of the source has become none or several.
func (r *Rated) isUneven() bool {
	return slices.ContainsFunc(r.Edits, func(e Edit) bool { return len(e.New) != 1 })
}

// fewestOfKind is of how many outputs of a kind a ranker of its own is fitted.
const fewestOfKind = 100

// Fit fits a ranker to rated outputs, and one to the uneven ones if there are enough of both kinds.
// It is the same whatever their order, but for rounding.
func Fit(rated []Rated) *Ranker {
	uneven := lists.Where(rated, func(r Rated) bool { return r.isUneven() })
	even := lists.Where(rated, func(r Rated) bool { return !r.isUneven() })
	if len(uneven) < fewestOfKind || len(even) < fewestOfKind {
		return fit(rated)
	}
	r := fit(even)
	r.Uneven = fit(uneven)
	return r
}

// fit is Fit of outputs of one kind.
func fit(rated []Rated) *Ranker {
	r := &Ranker{}
	n := float64(len(rated))
	for i := range r.Mean {
		for k := range rated {
			r.Mean[i] += rated[k].Features[i] / n
		}
		for k := range rated {
			r.SD[i] += (rated[k].Features[i] - r.Mean[i]) * (rated[k].Features[i] - r.Mean[i]) / n
		}
		if r.SD[i] = math.Sqrt(r.SD[i]); r.SD[i] == 0 {
			r.SD[i] = 1
		}
	}
	z, y := make([]Features, len(rated)), make([]float64, len(rated))
	for k := range rated {
		z[k] = r.standard(rated[k].Features)
	}
	for score := range r.Of {
		for k := range rated {
			y[k] = rated[k].best(score)
		}
		r.Of[score] = regress(z, y)
	}
	return r
}

// regress fits a logistic regression of shares y by Newton's method: its log likelihood less
// ridge/2 of the squares of its weights is concave, so that there is one best.
func regress(z []Features, y []float64) (of Regression) {
	const n = int(numFeatures) + 1 // the bias is the last
	for range 100 {
		gradient, curvature := mat.NewVecDense(n, nil), mat.NewSymDense(n, nil)
		for i, w := range of.Weights {
			gradient.SetVec(i, -ridge*w)
			curvature.SetSym(i, i, ridge)
		}
		curvature.SetSym(n-1, n-1, 1e-9)
		for k := range z {
			p := 1 / (1 + math.Exp(-of.logit(z[k])))
			x := mat.NewVecDense(n, append(slices.Clone(z[k][:]), 1))
			gradient.AddScaledVec(gradient, y[k]-p, x)
			curvature.SymRankOne(curvature, p*(1-p), x)
		}
		var c mat.Cholesky
		step := mat.NewVecDense(n, nil)
		if !c.Factorize(curvature) || c.SolveVecTo(step, gradient) != nil {
			return of
		}
		for i := range of.Weights {
			of.Weights[i] += step.AtVec(i)
		}
		of.Bias += step.AtVec(n - 1)
		if mat.Norm(step, 2) < 1e-10 {
			return of
		}
	}
	return of
}

// Agreement says how far rankings agree with readers, of every two outputs of a sentence whose
// totals are a point or more apart: the share in which the output that readers prefer is ranked
// first. Equal outputs count half.
type Agreement struct {
	Pairs    int
	Ranker   float64 // fitted on the sentences of other folds
	Features [numFeatures]float64
	Chosen   float64 // share of flawless ratings of the outputs that the ranker chooses
	Best     float64 // of the outputs that readers rate best
	Mean     float64 // of all outputs
}

// folds is how many parts the sentences are cut into: each is ranked by what was fitted on the
// others.
const folds = 10

// CrossValidate fits a ranker on nine tenths of the sentences at a time, and says how well it ranks
// the outputs of the tenth.
func CrossValidate(rated []Rated) (a Agreement) {
	var order []string
	of := map[string][]int{}
	for k := range rated {
		s := rated[k].sentence()
		if of[s] == nil {
			order = append(order, s)
		}
		of[s] = append(of[s], k)
	}
	scores := make([]float64, len(rated))
	for fold := range folds {
		var others []Rated
		for i, s := range order {
			if i%folds != fold {
				for _, k := range of[s] {
					others = append(others, rated[k])
				}
			}
		}
		if len(others) == 0 {
			continue
		}
		r := Fit(others)
		for i := fold; i < len(order); i += folds {
			for _, k := range of[order[i]] {
				scores[k] = r.For(rated[k].isUneven()).Score(rated[k].Features)
			}
		}
	}
	for _, s := range order {
		chosen, best := of[s][0], 0.0
		for _, k := range of[s] {
			if scores[k] > scores[chosen] {
				chosen = k
			}
			best = max(best, rated[k].Flawless())
			a.Mean += rated[k].Flawless() / float64(len(rated))
		}
		a.Chosen += rated[chosen].Flawless() / float64(len(order))
		a.Best += best / float64(len(order))
	}
	sentences := lists.Map(rated, func(r Rated) string { return r.sentence() })
	pairs := Preferred(sentences, lists.Map(rated, func(r Rated) float64 { return r.Total() }))
	a.Pairs = len(pairs)
	a.Ranker = Right(pairs, func(k int) float64 { return scores[k] })
	for f := range a.Features {
		a.Features[f] = Right(pairs, func(k int) float64 { return rated[k].Features[f] })
	}
	return a
}

// aPoint is the least difference of two totals that counts as one point. Totals are quotients by
// the number of readers, so a difference of one may be rounded to slightly less.
const aPoint = 1 - 1e-9

// Preferred returns every two outputs of a sentence whose totals are a point or more apart: that
// which readers prefer, and the other.
func Preferred[S comparable](sentences []S, totals []float64) (pairs [][2]int) {
	of := map[S][]int{}
	for k, s := range sentences {
		for _, other := range of[s] {
			switch {
			case totals[other]-totals[k] >= aPoint:
				pairs = append(pairs, [2]int{other, k})
			case totals[k]-totals[other] >= aPoint:
				pairs = append(pairs, [2]int{k, other})
			}
		}
		of[s] = append(of[s], k)
	}
	return pairs
}

// Right returns the share of pairs whose first output has the higher score; equal ones count half.
func Right(pairs [][2]int, score func(k int) float64) (share float64) {
	for _, p := range pairs {
		switch better, worse := score(p[0]), score(p[1]); {
		case better > worse:
			share++
		case better == worse:
			share += .5
		}
	}
	return share / float64(max(len(pairs), 1))
}
