package corpus

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestRestore: each text, what a model makes of its words, and how the user would write that.
func TestRestore(t *testing.T) {
	for _, c := range []struct{ in, words, want string }{
		{"The soup was COLD!", "the soup was warm !", "The soup was WARM!"},
		{"It's cold, isn't it?", "it 's warm , is n't it ?", "It's warm, isn't it?"},
		{"Terrible food.", "lovely food .", "Lovely food."},
		{"The food. Terrible, said Ada.", "the food . lovely , said bob .", "The food. Lovely, said bob."},
		{
			"Foo-Bar by O'Hara's café was ÉTÉ (4.50)", "foo-bar by o'hara 's café was été ( 4.50 )",
			"Foo-Bar by O'Hara's café was ÉTÉ (4.50)",
		},
		{"“Fine,” he said — it’s new…", "`` fine , '' she said -- it 's old ...", "“Fine,” she said — it’s old…"},
		{`He said "no" twice.`, "he said `` yes '' twice .", `He said "yes" twice.`},
		{"It's bad", "it is bad", "It is bad"},
		{"We really like it", "we do n't like it", "We don't like it"}, // a capital makes it prose
		{"Great!", "great food", "Great food"},
		{"the soup was cold .", "the soup was warm .", "the soup was warm ."}, // as the corpora have it
		{"the soup was cold", "it did n't warm", "it did n't warm"},
		{"Two  spaces\there", "two spaces there", "Two spaces there"},
		{"Yes, Ada went home.", "yes , ada went .", "Yes, Ada went."},
		{"Ada went.", "ada 's cat went ( home ) .", "Ada's cat went (home)."},
		{"Was it you?", "was it i ?", "Was it I?"},
		{"I came", "we came", "We came"},
		{"USA ok", "france ok", "FRANCE ok"},
		{"Ⱥ.Ⱥ!", "ⱥ . x !", "Ⱥ.X!"},
		{"'” odd", "''' odd", "''' odd"},
		{"A word", "", ""},
	} {
		s, err := Cut(c.in)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Restore(strings.Fields(c.words)); got != c.want {
			t.Errorf("%q and %q make %q, want %q", c.in, c.words, got, c.want)
		}
	}
}

// TestRestoreIsTheText: the words of a text, as they are, come out as the text was written; and
// other words of a text in the form of the corpora as they are.
func TestRestoreIsTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.StringMatching(`[A-Za-zé0-9'"“”’(),.!?…$%/_-]{1,8}`), 1, 8).Draw(t, "pieces")
		raw := strings.Join(pieces, " ")
		s, err := Cut(raw)
		if err != nil {
			t.Fatal(err)
		}
		if words, _ := Tokenize(raw); !slices.Equal(words, s.Words) {
			t.Fatalf("%q is cut into %q, and by Tokenize into %q", raw, s.Words, words)
		}
		for _, piece := range pieces {
			if spellings(piece, splitPiece(typography.Replace(piece))) == nil {
				t.Skip("a sign went into two words")
			}
		}
		if got := s.Restore(s.Words); got != raw {
			t.Fatalf("%q, cut into %q, comes back as %q", raw, s.Words, got)
		}
	})
	demo := Demo().Text[Test][0]
	for i, words := range demo {
		in := strings.Join(words, " ")
		s, err := Cut(in)
		if err != nil {
			t.Fatal(err)
		}
		other := demo[(i+1)%len(demo)]
		if got, want := s.Restore(other), strings.Join(other, " "); got != want {
			t.Fatalf("%q makes of %q %q", in, want, got)
		}
	}
}
