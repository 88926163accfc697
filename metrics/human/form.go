package human

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Pair is two systems' outputs for one source.
type Pair struct {
	Direction    string // "negative to positive"
	Item         string // names the source within its direction
	Source, A, B string
}

// Question is a Pair as an annotator sees it, without a word on who wrote what.
type Question struct {
	Number                int // of the form, from 1 on
	Direction             string
	Source, First, Second string
}

// Key says what a Question was made of.
type Key struct {
	Direction, Item string
	AFirst          bool
}

// Draw draws n pairs of each direction, or all where there are fewer, by the seed alone. Pairs of
// equal outputs are left out: nobody can prefer one.
func Draw(pairs []Pair, n int, seed uint64) []Pair {
	rng := rand.New(rand.NewPCG(seed, 0))
	of := map[string][]Pair{}
	var directions []string
	for _, p := range pairs {
		if _, known := of[p.Direction]; !known {
			directions = append(directions, p.Direction)
		}
		of[p.Direction] = append(of[p.Direction], p)
	}
	var drawn []Pair
	for _, d := range directions {
		some := slices.DeleteFunc(slices.Clone(of[d]), func(p Pair) bool { return p.A == p.B })
		order := rng.Perm(len(some))[:min(n, len(some))]
		slices.Sort(order)
		for _, i := range order {
			drawn = append(drawn, some[i])
		}
	}
	return drawn
}

// Form makes the form of one annotator, a number from 1 on: the pairs in an order of the
// annotator's own, each system first in half of each direction's, to one.
func Form(pairs []Pair, annotator int, seed uint64) ([]Question, []Key) {
	rng := rand.New(rand.NewPCG(seed, uint64(annotator)))
	sides := map[string][]bool{} // by direction, what is still to be given out
	counts := map[string]int{}
	for _, p := range pairs {
		counts[p.Direction]++
	}
	for _, p := range pairs {
		if d := p.Direction; sides[d] == nil {
			odd := rng.IntN(2) // of an odd number the system that is first once more
			for i := range counts[d] {
				sides[d] = append(sides[d], (i+odd)%2 == 0)
			}
			rng.Shuffle(len(sides[d]), func(i, j int) { sides[d][i], sides[d][j] = sides[d][j], sides[d][i] })
		}
	}
	var questions []Question
	var keys []Key
	for number, i := range rng.Perm(len(pairs)) {
		p := pairs[i]
		first := sides[p.Direction][0]
		sides[p.Direction] = sides[p.Direction][1:]
		q := Question{Number: number + 1, Direction: p.Direction, Source: p.Source, First: p.A, Second: p.B}
		if !first {
			q.First, q.Second = p.B, p.A
		}
		questions = append(questions, q)
		keys = append(keys, Key{p.Direction, p.Item, first})
	}
	return questions, keys
}

// answers are what an annotator may write: which output is better, or neither of both is.
var answers = []string{"1", "2", "both", "neither"}

// Vote is what an answer to a question means for the two systems: a, b, both or neither.
func (k Key) Vote(answer string) (string, error) {
	switch {
	case !slices.Contains(answers, answer):
		return "", fmt.Errorf("the answer must be 1, 2, both or neither, but is %q", answer)
	case answer == "1" && k.AFirst, answer == "2" && !k.AFirst:
		return "a", nil
	case answer == "1", answer == "2":
		return "b", nil
	}
	return answer, nil
}

// Filled is a form with the answers that it has so far. Nothing in it says who wrote what: the key
// is not read.
type Filled struct {
	Questions []Question // by number
	Answers   []string   // of each, "" where there is none

	table *filledTable
}

// Answers are what an annotator may choose from.
func Answers() []string { return slices.Clone(answers) }

// Forms are the annotators whose forms a folder has, from 1 on.
func Forms(dir string) ([]int, error) {
	var out []int
	for {
		_, err := os.Stat(filepath.Join(dir, formFile(len(out)+1)))
		if err != nil && len(out) == 0 {
			return nil, userr.New(userr.BadInput, "there is neither %s nor a sheet in %q: name a folder that "+
				"`smlm-exp human export` or `sheets` wrote", formFile(1), dir)
		} else if err != nil {
			return out, nil
		}
		out = append(out, len(out)+1)
	}
}

// OpenForm reads the form of an annotator.
func OpenForm(dir string, annotator int) (*Filled, error) {
	t, err := openTable(filepath.Join(dir, formFile(annotator)), formHeader)
	if err != nil {
		return nil, err
	}
	f := &Filled{Questions: make([]Question, len(t.rows)), Answers: make([]string, len(t.rows)), table: t}
	for i, row := range t.rows {
		number, err := strconv.Atoi(strings.TrimSpace(row[0]))
		if err != nil || number < 1 || number > len(t.rows) || f.Questions[number-1].Number != 0 {
			return nil, badNumber(t.path, i, row[0], len(t.rows))
		}
		f.Questions[number-1] = Question{
			Number: number, Direction: wording.OfCell(row[1]), Source: wording.OfCell(row[2]),
			First: wording.OfCell(row[3]), Second: wording.OfCell(row[4]),
		}
		f.Answers[number-1] = strings.ToLower(strings.TrimSpace(row[5]))
	}
	return f, nil
}

// Alone calls do while no other process that calls it has the folder: of two that read a form or a
// sheet and write it with an answer more, one answer would be lost otherwise. On a file system
// without locks it only calls do.
func Alone(dir string, do func() error) error {
	if f, err := os.Open(dir); err == nil {
		defer f.Close() // ends the lock
		_ = files.WaitLock(f, files.Alone)
	}
	return do()
}

// Answer writes an answer into the form's file, whose rows stay where they are.
func (f *Filled) Answer(number int, answer string) error {
	if number < 1 || number > len(f.Answers) {
		return userr.New(userr.BadInput, "there is no question %d: the form has %d", number, len(f.Answers))
	}
	if !slices.Contains(answers, answer) {
		return userr.New(userr.BadInput, "the answer must be 1, 2, both or neither, but is %q", answer)
	}
	for _, row := range f.table.rows {
		if n, err := strconv.Atoi(strings.TrimSpace(row[0])); err == nil && n == number {
			row[5] = answer
		}
	}
	f.Answers[number-1] = answer
	return f.table.save()
}
