package classifier

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// mixing is every kind of example, as often as any other.
var mixing = recipe.Mixed{
	Share: .5, Joined: 1, Exchanged: 1, Restored: 1, Negated: 1, LogOdds: 1, Joiners: []string{"and"},
	Negations: []string{"not"},
}

// invented returns texts of several styles and their vocabulary: style 0 has the words a0 to a5
// among words of all, style 1 b0 to b5, and so on; each text has two or three of its style, "and"
// now and then, and a full stop at its end.
func invented(styles, texts int, seed uint64) (corpus.Encoded, *corpus.Vocab) {
	rng := rand.New(rand.NewPCG(seed, 5))
	var sentences []corpus.Sentence
	var d corpus.Encoded
	for i := range styles * texts {
		style := i / texts
		var s corpus.Sentence
		own := 2 + rng.IntN(2)
		for k := range own + 3 + rng.IntN(4) {
			word := fmt.Sprintf("w%d", rng.IntN(12))
			if k < own {
				word = fmt.Sprintf("%c%d", 'a'+style, rng.IntN(6))
			}
			s = append(s, word)
		}
		rng.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
		if i%3 == 0 {
			s = slices.Insert(s, len(s)/2, "and")
		}
		if i%40 == 1 {
			s = slices.Insert(s, 1, "not")
		}
		sentences, d.Styles = append(sentences, append(s, ".")), append(d.Styles, style)
	}
	v := corpus.BuildVocab([][]corpus.Sentence{sentences}, 1000)
	d.IDs = v.EncodeAll(sentences)
	return d, v
}

// stylesIn says of which styles the invented words of a text are, once each, in order.
func stylesIn(words []string) (styles []int) {
	for _, w := range words {
		if c := int(w[0] - 'a'); c < 3 && len(w) == 2 {
			styles = append(styles, c)
		}
	}
	slices.Sort(styles)
	return slices.Compact(styles)
}

// only returns mixing with one kind of example.
func only(set func(*recipe.Mixed)) recipe.Mixed {
	how := mixing
	how.Joined, how.Exchanged, how.Restored, how.Negated = 0, 0, 0, 0
	set(&how)
	return how
}

// TestMixed: each kind is what it says, of two styles and of three; the texts themselves stay, in
// front.
func TestMixed(t *testing.T) {
	for _, styles := range []int{2, 3} {
		d, v := invented(styles, 300, 3)
		for _, c := range []struct {
			kind string
			how  recipe.Mixed
			ok   func(words []string, in []int, class int) bool
		}{
			{"joined", only(func(m *recipe.Mixed) { m.Joined = 1 }), func(words []string, in []int, class int) bool {
				at := slices.Index(words, "and")
				clause := words[:max(at, 0)]
				one := len(stylesIn(clause)) == 1 && !slices.Contains(clause, ".")
				return class == styles && at > 1 && one && len(in) == 2
			}},
			{"exchanged", only(func(m *recipe.Mixed) { m.Exchanged = 1 }), func(_ []string, in []int, class int) bool {
				return class == styles && len(in) == 2
			}},
			{"restored", only(func(m *recipe.Mixed) { m.Restored = 1 }), func(_ []string, in []int, class int) bool {
				return class == styles && len(in) == 2
			}},
		} {
			all := with(d, v, styles, c.how, 1)
			for i := range d.IDs {
				if !slices.Equal(all.IDs[i], d.IDs[i]) || all.Styles[i] != d.Styles[i] {
					t.Fatalf("%s: text %d is not what it was", c.kind, i)
				}
			}
			if len(all.IDs) != 2*len(d.IDs) {
				t.Errorf("%s: %d texts of %d, want a half made", c.kind, len(all.IDs), len(d.IDs))
			}
			for i := len(d.IDs); i < len(all.IDs); i++ {
				words := v.Decode(all.IDs[i])
				if !c.ok(words, stylesIn(words), all.Styles[i]) {
					t.Fatalf("%s: %q is of class %d", c.kind, strings.Join(words, " "), all.Styles[i])
				}
			}
		}
	}
}

// TestExchangedAndRestored: one style word is exchanged, or all but one.
func TestExchangedAndRestored(t *testing.T) {
	d, v := invented(2, 300, 3)
	count := func(words []string, style int) (n int) {
		for _, w := range words {
			if len(w) == 2 && int(w[0]-'a') == style {
				n++
			}
		}
		return n
	}
	for kind, how := range map[string]recipe.Mixed{
		"exchanged": only(func(m *recipe.Mixed) { m.Exchanged = 1 }),
		"restored":  only(func(m *recipe.Mixed) { m.Restored = 1 }),
	} {
		all := with(d, v, 2, how, 1)
		three := 0
		for _, ids := range all.IDs[len(d.IDs):] {
			words := v.Decode(ids)
			a, b := count(words, 0), count(words, 1)
			if min(a, b) != 1 {
				t.Fatalf("%s: %q has %d and %d style words", kind, strings.Join(words, " "), a, b)
			}
			three += a + b - 2
		}
		if three == 0 {
			t.Errorf("%s: no text had three style words", kind)
		}
	}
}

// TestNegated: a word becomes a negated one of another style, and the text stays of its own.
func TestNegated(t *testing.T) {
	d, v := invented(2, 300, 3)
	how := only(func(m *recipe.Mixed) { m.Negated, m.Exchanged = 3, 1 })
	all := with(d, v, 2, how, 1)
	negated := 0
	for i := len(d.IDs); i < len(all.IDs); i++ {
		words := v.Decode(all.IDs[i])
		if all.Styles[i] == 2 {
			continue
		}
		negated++
		ok := false
		for k, w := range words[1:] {
			ok = ok || words[k] == "not" && len(w) == 2 && int(w[0]-'a') == 1-all.Styles[i]
		}
		if !ok {
			t.Fatalf("%q is of style %d", strings.Join(words, " "), all.Styles[i])
		}
	}
	if made := len(all.IDs) - len(d.IDs); negated < made/2 || negated == made {
		t.Errorf("%d of %d are negated, want three quarters", negated, made)
	}
}

// TestMixedBySeed: a seed makes the same examples, another one others.
func TestMixedBySeed(t *testing.T) {
	d, v := invented(2, 100, 3)
	one, same, other := with(d, v, 2, mixing, 1), with(d, v, 2, mixing, 1), with(d, v, 2, mixing, 2)
	equal := func(a, b corpus.Encoded) bool {
		return slices.EqualFunc(a.IDs, b.IDs, slices.Equal[[]int64]) && slices.Equal(a.Styles, b.Styles)
	}
	if !equal(one, same) || equal(one, other) {
		t.Errorf("the same seed makes the same: %t; another the same: %t", equal(one, same), equal(one, other))
	}
}

// TestNoStyleWords: texts of which no kind of example can be made are put side by side; texts of
// one style alone make none.
func TestNoStyleWords(t *testing.T) {
	d, v := invented(1, 200, 3)
	for i := range d.Styles {
		d.Styles[i] = i % 2
	}
	how := mixing
	how.LogOdds = 20
	all := with(d, v, 2, how, 1)
	if len(all.IDs) != 2*len(d.IDs) {
		t.Errorf("%d texts of %d, want a half made", len(all.IDs), len(d.IDs))
	}
	of := map[string]int{} // style by text
	for i, ids := range d.IDs {
		of[fmt.Sprint(ids)] = d.Styles[i]
	}
	for i := len(d.IDs); i < len(all.IDs); i++ {
		two := false
		for k := range all.IDs[i] {
			a, okA := of[fmt.Sprint(all.IDs[i][:k])]
			b, okB := of[fmt.Sprint(all.IDs[i][k:])]
			two = two || okA && okB && a != b
		}
		if !two || all.Styles[i] != 2 {
			t.Fatalf("%v of class %d is not two texts", all.IDs[i], all.Styles[i])
		}
	}
	for i := range d.Styles {
		d.Styles[i] = 0
	}
	if alone := with(d, v, 2, mixing, 1); len(alone.IDs) != len(d.IDs) {
		t.Errorf("%d texts of %d of one style", len(alone.IDs), len(d.IDs))
	}
}

// with returns texts with examples made of them.
func with(d corpus.Encoded, v *corpus.Vocab, styles int, how recipe.Mixed, seed uint64) corpus.Encoded {
	return NewMixer(d, styles, v, how).With(d, seed)
}

// TestWholeIsNotTheSum: a text of which most style words are of one style, and one is of the other,
// is that style's to a classifier of the styles, and mixed to one that knows mixed texts.
func TestWholeIsNotTheSum(t *testing.T) {
	all, v := invented(2, 460, 3)
	var train, dev corpus.Encoded
	for i, ids := range all.IDs {
		to := &train
		if i%460 < 60 {
			to = &dev
		}
		to.IDs, to.Styles = append(to.IDs, ids), append(to.Styles, all.Styles[i])
	}
	halfway := only(func(m *recipe.Mixed) { m.Exchanged = 1 })
	judged := with(dev, v, 2, halfway, 9) // half of them mixed
	mixed := judged.Slice(len(dev.IDs), len(judged.IDs))
	found := func(classes int, train, dev corpus.Encoded) (n int) {
		err := torch.Run(func() error {
			torch.Seed(1)
			m := NewBiLSTM(BiLSTMConfig{
				Vocab: v.Len(), BiLSTMShape: recipe.BiLSTMShape{Embedding: 16, Hidden: 16}, Classes: classes,
			})
			defer m.Params.Free()
			steps := recipe.Training{Epochs: 12, LR: .01, Beta1: .9, Beta2: .999, BatchTokens: 400}
			if _, err := m.Train(context.Background(), train, dev, nn.Recipe{Training: steps, Seed: 1}); err != nil {
				return err
			}
			predicted, err := m.Predict(context.Background(), mixed.IDs)
			for _, class := range predicted {
				if class == 2 {
					n++
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	two, three := found(0, train, dev), found(3, with(train, v, 2, mixing, 1), with(dev, v, 2, mixing, 2))
	if all := len(mixed.IDs); two != 0 || three < all*3/4 {
		t.Errorf("of %d mixed texts a classifier of two classes finds %d, one of three %d", all, two, three)
	}
}
