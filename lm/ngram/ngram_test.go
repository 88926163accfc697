package ngram

import (
	"bytes"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"pgregory.net/rapid"
)

const a, b, c = corpus.NumSpecial, corpus.NumSpecial + 1, corpus.NumSpecial + 2

func near(t rapid.TB, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 2e-6*max(1, math.Abs(want))) { // the model stores ln p in float32
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestByHand trains on the sentences "a b" and "a c". There are too few frequent words to estimate
// the discounts, so the discounts are 0.5, 1 and 1.5. V is 5: <unk>, <eos>, "a", "b" and "c".
//
// Only <bos> precedes "a", only "a" precedes "b" and "c", and both "b" and "c" precede <eos>. So
// the counts of "a", "b", "c" and <eos> are 1, 1, 1 and 2. Their sum is 5, gamma is (3*0.5 + 1)/5 =
// 0.5, and
//
//	p(<unk>) = 0.5/5 = 0.1   p(a) = p(b) = p(c) = 0.5/5 + 0.1 = 0.2   p(<eos>) = (2-1)/5 + 0.1 = 0.3
func TestByHand(t *testing.T) {
	m := Train([][]int64{{a, b}, {a, c}}, c+1)
	for _, w := range []struct {
		name string
		id   int64
		p    float64
	}{
		{"a", a, .2},
		{"c", c, .2},
		{"unknown word", corpus.UnkID, .1},
		{"an id that is none is <unk>", 1000, .1},
		{"so is a token that only models place", corpus.BosID, .1},
	} {
		near(t, w.name, m.UnigramLogProb(w.id), math.Log(w.p))
	}
	near(t, "<eos>", float64(m.logP[corpus.EosID]), math.Log(.3))
	near(t, "no text", Train(nil, c+1).UnigramLogProb(a), math.Log(1./5))
}

// TestDiscounts estimates the discounts from ten words with a count of 1, five with 2, three with 3
// and two with 4. Y is 10/20.
func TestDiscounts(t *testing.T) {
	var counts []uint32
	for k, n := range []int{4, 10, 5, 3, 2} {
		counts = append(counts, slices.Repeat([]uint32{uint32(k)}, n)...)
	}
	d := estimate(append(counts, 9))
	for k, want := range []float64{0, 1 - 2*.5*5/10, 2 - 3*.5*3/5, 3 - 4*.5*2/3} {
		near(t, "discount", d.forCount(uint32(k)), want)
	}
	near(t, "discount", d.forCount(9), 3-4*.5*2/3)
}

// small draws a small text and the size of its vocabulary.
func small(t *rapid.T) (text [][]int64, vocab int) {
	vocab = corpus.NumSpecial + rapid.IntRange(0, 5).Draw(t, "words")
	word := rapid.SampledFrom(append(known(vocab), corpus.UnkID))
	return rapid.SliceOfN(rapid.SliceOfN(word, 0, 8), 0, 25).Draw(t, "text"), vocab
}

func known(vocab int) (ids []int64) {
	for id := corpus.NumSpecial; id < vocab; id++ {
		ids = append(ids, int64(id))
	}
	return ids
}

// TestSumsToOne checks that the probabilities of all possible next tokens sum to 1.
func TestSumsToOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, vocab := small(t)
		m, sum := Train(text, vocab), 0.0
		for _, w := range append(known(vocab), corpus.UnkID, corpus.EosID) {
			sum += math.Exp(float64(m.logP[w]))
		}
		near(t, "sum", sum, 1)
	})
}

// TestHas compares Has with a search in the text, for all trigrams of a few words and for the start
// and the end of sentences.
func TestHas(t *testing.T) {
	text := [][]int64{{a, b, c, a, b}, {b, b, corpus.UnkID}, {c}, {c}}
	m := Train(text, c+2)
	in := func(x, y, z int64) bool {
		return slices.ContainsFunc(text, func(s []int64) bool {
			s = slices.Concat([]int64{corpus.BosID}, s, []int64{corpus.EosID})
			for k := range len(s) - 2 {
				if slices.Equal(s[k:k+3], []int64{x, y, z}) {
					return true
				}
			}
			return false
		})
	}
	words := []int64{corpus.BosID, corpus.EosID, corpus.UnkID, corpus.MaskID, a, b, c, c + 1}
	for _, x := range words {
		for _, y := range words {
			for _, z := range words {
				if got := m.Has([3]int64{x, y, z}); got != in(x, y, z) {
					t.Errorf("Has(%d, %d, %d) is %t", x, y, z, got)
				}
			}
		}
	}
	if !m.Has([3]int64{b, b, 1000}) {
		t.Error("an id that is none is not <unk>")
	}
}

// saved returns the bytes of a saved model.
func saved(t testing.TB, m *Model) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.safetensors")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestSaveLoad checks that a loaded model is the same as before and is saved as the same bytes.
func TestSaveLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.safetensors")
	rapid.Check(t, func(r *rapid.T) {
		m := Train(small(r))
		if err := m.Save(path); err != nil {
			r.Fatal(err)
		}
		first, _ := os.ReadFile(path)
		again, err := Load(path)
		if err != nil {
			r.Fatal(err)
		}
		if !slices.Equal(again.logP, m.logP) || !maps.Equal(again.trigrams, m.trigrams) {
			r.Errorf("%+v after reading, %+v before", again, m)
		}
		if err := again.Save(path); err != nil {
			r.Fatal(err)
		}
		if second, _ := os.ReadFile(path); !bytes.Equal(first, second) {
			r.Error("the model that was read is written as other bytes")
		}
	})
}

// TestLoadRefuses checks that foreign and truncated files are refused with the path.
func TestLoadRefuses(t *testing.T) {
	raw := saved(t, Train([][]int64{{a, b}, {a, c}}, c+1))
	path := filepath.Join(t.TempDir(), "model.safetensors")
	bad := []string{"", "text\n", "\x02\x00\x00\x00\x00\x00\x00\x00{}", strings.Replace(string(raw), "log_p", "log_q", 1)}
	for i := 0; i < len(raw); i += 16 {
		bad = append(bad, string(raw[:i]))
	}
	for _, p := range []float64{math.NaN(), math.Inf(-1), math.Inf(1), 3e38, 1} {
		m := Train([][]int64{{a, b}, {a, c}}, c+1)
		m.logP[a] = float32(p)
		bad = append(bad, string(saved(t, m)))
	}
	for _, text := range bad {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Load(path)
		if err == nil || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q is read with the error %v", text, err)
		}
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there is read")
	}
}

// FuzzLoad reads damaged files. A file may be refused, but if it is accepted, its model must be
// safe to query.
func FuzzLoad(f *testing.F) {
	f.Add([]byte{})
	f.Add(saved(f, Train(nil, c)))
	f.Add(saved(f, Train([][]int64{{a, b}, {a, c}}, c+1)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := decode(raw)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("not one sentence: %q", err)
			}
			return
		}
		for _, id := range []int64{-1, 0, 1, 2, 3, 4, a, c, 1 << 40} {
			m.UnigramLogProb(id)
			m.Has([3]int64{id, a, id})
		}
	})
}
