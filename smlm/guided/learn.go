package guided

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"gonum.org/v1/gonum/mat"
)

// Rated is an output that readers rated.
type Rated struct {
	Sentence string       // which one it is an output of: outputs of one are compared
	Scores   [3][]float64 // of style, content and fluency, 0, 1 or 2, by reader
	Features Features
}

// ratedHeader is that of a file of rated outputs. A score is written as a digit a reader: 21 where
// the first gave 2 and the second 1.
var ratedHeader = append([]string{"direction", "line", "style", "content", "fluency"}, FeatureNames[:]...)

// ReadRated reads a CSV file of rated outputs, which has numbers and no sentence: direction and
// line of the source, what readers gave the output, and its features. Errors are userr.BadInput and
// name file and line.
func ReadRated(path string) ([]Rated, error) {
	raw, err := files.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, userr.New(userr.BadInput, "the file of rated outputs %q does not exist: correct the path", path)
	} else if err != nil {
		return nil, userr.New(userr.BadInput, "the file of rated outputs %q cannot be read (%w): give a readable CSV file", path,
			files.Cause(err))
	}
	c := csv.NewReader(strings.NewReader(string(raw)))
	c.FieldsPerRecord = -1
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
			if !slices.Equal(fields, ratedHeader) {
				return nil, userr.New(userr.BadInput, "rated outputs %s:%d: the first line must be %s", path, line,
					strings.Join(ratedHeader, ","))
			}
			continue
		}
		r, wrong := ratedOf(fields)
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
func ratedOf(fields []string) (r Rated, wrong string) {
	if len(fields) != len(ratedHeader) {
		return r, fmt.Sprintf("there are %d fields, but there must be %d", len(fields), len(ratedHeader))
	}
	r.Sentence = fields[0] + ", line " + fields[1]
	for i, digits := range fields[2:5] {
		for _, d := range digits {
			if d < '0' || d > '2' {
				return r, fmt.Sprintf("%s is %.20q, but must be one digit from 0 to 2 for each reader, such "+
					"as 21", ratedHeader[2+i], digits)
			}
			r.Scores[i] = append(r.Scores[i], float64(d-'0'))
		}
		if len(digits) == 0 || len(digits) != len(fields[2]) {
			return r, "style, content and fluency must have one digit for each of one or more readers"
		}
	}
	for i, text := range fields[5:] {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return r, fmt.Sprintf("%s is %.20q, but must be a number", FeatureNames[i], text)
		}
		r.Features[i] = v
	}
	return r, ""
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

// total returns the mean of the readers' sums of scores, 0 to 6.
func (r *Rated) total() (sum float64) {
	for _, scores := range r.Scores {
		for _, s := range scores {
			sum += s / float64(len(scores))
		}
	}
	return sum
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

// Fit fits a ranker to rated outputs. It is the same whatever their order, but for rounding.
func Fit(rated []Rated) *Ranker {
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
		s := rated[k].Sentence
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
				scores[k] = r.Score(rated[k].Features)
			}
		}
	}
	right := func(better, worse float64) float64 {
		switch {
		case better > worse:
			return 1
		case better < worse:
			return 0
		}
		return .5
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
		for i, x := range of[s] {
			for _, y := range of[s][i+1:] {
				if math.Abs(rated[x].total()-rated[y].total()) < 1 {
					continue
				}
				better, worse := x, y
				if rated[x].total() < rated[y].total() {
					better, worse = y, x
				}
				a.Pairs++
				a.Ranker += right(scores[better], scores[worse])
				for f := range a.Features {
					a.Features[f] += right(rated[better].Features[f], rated[worse].Features[f])
				}
			}
		}
	}
	for f := range a.Features {
		a.Features[f] /= float64(max(a.Pairs, 1))
	}
	a.Ranker /= float64(max(a.Pairs, 1))
	return a
}
