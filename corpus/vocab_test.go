package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

func TestBuildVocab(t *testing.T) {
	text := [][]Sentence{{{"b", "a", "c", "<mask>"}, {"c", "b"}}, {{"c", "d", "<pad>"}}}
	v := BuildVocab(text, 3) // counts: c 3, b 2, a 1, d 1
	if got := v.Decode([]int64{9, 10, 11, 12, -1, UnkID}); !reflect.DeepEqual(got, Sentence{
		"c", "b", "a", "<unk>",
		"<unk>", "<unk>",
	}) {
		t.Errorf("words %q", got)
	}
	if v.Len() != 12 {
		t.Errorf("Len %d, want 9 special tokens and 3 words", v.Len())
	}
	if all := BuildVocab(text, 0); all.Len() != 13 || all.ID("d") != 12 {
		t.Errorf("size 0: Len %d, d is %d", all.Len(), all.ID("d"))
	}
	// Text may contain <mask>, but must not be able to produce the tokens that only models insert.
	got := v.Encode(Sentence{"a", "z", "<mask>", "<unk>", "<pad>", "<eos>", "<dst:1>"})
	if !reflect.DeepEqual(got, []int64{11, UnkID, MaskID, UnkID, UnkID, UnkID, UnkID}) {
		t.Errorf("ids %v", got)
	}
	for i, w := range specials {
		if v.ID(w) != int64(i) || v.Word(int64(i)) != w {
			t.Errorf("special token %q has id %d, id %d is %q", w, v.ID(w), i, v.Word(int64(i)))
		}
	}
	if v.Word(SrcID(0)) != "<src:0>" || v.Word(SrcID(1)) != "<src:1>" || v.Word(DstID(0)) != "<dst:0>" ||
		v.Word(DstID(1)) != "<dst:1>" {
		t.Error("SrcID or DstID")
	}
}

// TestVocabOfThreeStyles checks that a third style adds its own special tokens before the words,
// that a saved vocabulary keeps these tokens, and that no text may contain them.
func TestVocabOfThreeStyles(t *testing.T) {
	text := [][]Sentence{{{"a", "b", "a"}}, {{"b", "a"}}, {{"c", "<src:2>"}}}
	v := BuildVocab(text, 0)
	if n := v.Specials(); n != Specials(3) || n != NumSpecial+2 || v.ID("a") != int64(n) || v.Len() != n+3 {
		t.Errorf("%d special tokens, a has id %d of %d", v.Specials(), v.ID("a"), v.Len())
	}
	for style := range 3 {
		for word, id := range map[string]int64{fmt.Sprintf("<src:%d>", style): SrcID(style), fmt.Sprintf("<dst:%d>", style): DstID(style)} {
			if v.Word(id) != word || v.ID(word) != id {
				t.Errorf("%s has id %d, and %d is %s", word, v.ID(word), id, v.Word(id))
			}
			if v.Encode(Sentence{word})[0] != UnkID || CheckWords(Sentence{"a", word}) == nil {
				t.Errorf("text may have %s", word)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "vocab.txt")
	must(t, v.Save(path))
	if got, err := LoadVocab(path); err != nil || !reflect.DeepEqual(got, v) {
		t.Errorf("loaded %+v, %v; saved %+v", got, err, v)
	}
	if two := BuildVocab(text[:2], 0); two.Specials() != NumSpecial {
		t.Errorf("two styles have %d special tokens", two.Specials())
	}
}

func TestVocabRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vocab.txt")
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-e'._é]{1,3}`), 1, 40).Draw(t, "words")
		v := BuildVocab([][]Sentence{{words}}, 0)
		if err := v.Save(path); err != nil {
			t.Fatal(err)
		}
		got, err := LoadVocab(path)
		if err != nil || !reflect.DeepEqual(got, v) {
			t.Fatalf("loaded %+v, %v; saved %+v", got, err, v)
		}
		if back := got.Decode(got.Encode(words)); !reflect.DeepEqual(back, words) {
			t.Fatalf("decoded %q, encoded %q", back, words)
		}
	})
}

func TestLoadVocabRefuses(t *testing.T) {
	head := strings.Join(specials[:], "\n") + "\n"
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", `f:1: the vocabulary has "" where the special token <pad> belongs`},
		{"no special tokens", "the\na\n", `f:1: the vocabulary has "the" where the special token <pad> belongs`},
		{"cut short", "<pad>\n<unk>\n", `the vocabulary "f" ends before its 9 special tokens do`},
		{"twice", head + "the\na\nthe\n", `f:12: the vocabulary has "the" in line 10 too`},
		{"special again", head + "<pad>\n", `f:10: the vocabulary has "<pad>" in line 1 too`},
		{"empty line", head + "the\n\na\n", `f:11: the vocabulary must have one word per line without white space, not ""`},
		{
			"two words", head + "the soup\n",
			`f:10: the vocabulary must have one word per line without white space, not "the soup"`,
		},
		{"not UTF-8", head + "caf\xe9\n", `f:10: the vocabulary is not UTF-8`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parseVocab("f", []byte(c.in))
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || userr.CodeOf(err) != userr.BadInput {
				t.Errorf("error %v, want %q...", err, c.want)
			}
		})
	}
	if _, err := LoadVocab(filepath.Join(t.TempDir(), "none")); userr.CodeOf(err) != userr.BadInput {
		t.Errorf("no file: %v", err)
	}
}

// FuzzParseVocab checks that an accepted vocabulary is written back byte for byte.
func FuzzParseVocab(f *testing.F) {
	head := strings.Join(specials[:], "\n") + "\n"
	for _, s := range []string{"", head, head + "the\na\n", head + "a b\n", head + "a\r\n", head + "\xff"} {
		f.Add([]byte(s))
	}
	path := filepath.Join(f.TempDir(), "vocab.txt")
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := parseVocab("f", data)
		if err != nil {
			if userr.CodeOf(err) != userr.BadInput || strings.Contains(err.Error(), "\n") {
				t.Fatalf("not one sentence for the user: %q", err)
			}
			return
		}
		if err := v.Save(path); err != nil {
			t.Fatal(err)
		}
		written, err := os.ReadFile(path)
		if want := strings.TrimSuffix(string(data), "\n") + "\n"; err != nil || string(written) != want {
			t.Fatalf("read %q, wrote %q, %v", want, written, err)
		}
		for id := range int64(v.Len()) {
			if v.ID(v.Word(id)) != id {
				t.Fatalf("id %d is not its word's id", id)
			}
		}
	})
}
