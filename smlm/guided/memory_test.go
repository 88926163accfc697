package guided

import (
	"context"
	"fmt"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"pgregory.net/rapid"
)

// once is models that count what they are asked more than once.
type once struct {
	*made
	asked map[string]int
}

func (o once) Fills(ctx context.Context, d corpus.Encoded, own bool) ([][][]Fill, error) {
	for i := range d.IDs {
		o.asked[fmt.Sprint("fills of ", d.IDs[i], d.Masks[i], d.Styles[i], d.Asked[i], own)]++
	}
	return o.made.Fills(ctx, d, own)
}

func (o once) LogQ(ctx context.Context, d corpus.Encoded) ([][]float64, error) {
	for i := range d.IDs {
		o.asked[fmt.Sprint("log q of ", d.IDs[i], d.Masks[i], d.Styles[i], d.Asked[i])]++
	}
	return o.made.LogQ(ctx, d)
}

func (o once) LogProbs(ctx context.Context, ids [][]int64) ([][]float64, error) {
	for i := range ids {
		o.asked[fmt.Sprint("log p of ", ids[i])]++
	}
	return o.made.LogProbs(ctx, ids)
}

// TestAskedOnce: ways of writing a sentence, and what ranks them, ask a model each question once.
func TestAskedOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		how, d := hows(t), drawn(t)
		r := rankedRefiller(how, drawnSlots(t, &how))
		o := once{&made{slots: r.Slots}, map[string]int{}}
		r.Filler, r.Likelihood, r.Guide = o, o, o
		r.How.Rated, r.Rater = true, &made{}
		r.Negations = append(r.Negations, drawnNegation(t))
		transfer(t, r, d)
		for question, n := range o.asked {
			if n > 1 {
				t.Fatalf("%s is asked %d times", question, n)
			}
		}
		if len(o.asked) == 0 {
			t.Fatal("nothing is asked")
		}
	})
}

// TestMemory: questions are answered by what they ask, in their order, and an error is told.
func TestMemory(t *testing.T) {
	m := memory[int]{}
	var asked []int
	ask := func(of []int) ([]int, error) {
		return m.answers(len(of), func(to []byte, i int) []byte { return append(to, byte(of[i])) },
			func(news []int) (out []int, err error) {
				for _, i := range news {
					asked, out = append(asked, of[i]), append(out, 10*of[i])
				}
				if len(news) == 3 {
					err = context.Canceled
				}
				return out, err
			})
	}
	for _, c := range []struct{ of, want []int }{
		{[]int{3, 1, 3}, []int{30, 10, 30}}, {[]int{1, 2}, []int{10, 20}}, {nil, nil},
	} {
		if got, err := ask(c.of); err != nil || fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%v: %v, %v", c.of, got, err)
		}
	}
	if fmt.Sprint(asked) != "[3 1 2]" {
		t.Errorf("asked %v", asked)
	}
	if _, err := ask([]int{7, 8, 9}); err == nil {
		t.Error("the error is not told")
	}
}
