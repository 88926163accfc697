package corpus

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestRestore lists texts, the words that a model returns for each, and how the user would write
// these words.
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
		// a capital letter marks the text as prose
		{"We really like it", "we do n't like it", "We don't like it"},
		{"Great!", "great food", "Great food"},
		// tokenized, as in the corpora
		{"the soup was cold .", "the soup was warm .", "the soup was warm ."},
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
		{"Awful bread.", "lovely bread here .", "Lovely bread here."},
		{"“Awful bread,” he said.", "`` lovely bread , '' he said .", "“Lovely bread,” he said."},
		{"The bread was stale, but cheap.", "the bread was fresh . but cheap .", "The bread was fresh. But cheap."},
		// not "foodn't", because n't does not follow nouns
		{"Bread isn't cheap.", "bread food n't cheap .", "Bread food n't cheap."},
	} {
		s, err := (Cutting{}).Cut(c.in)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Restore(strings.Fields(c.words), nil); got != c.want {
			t.Errorf("%q and %q make %q, want %q", c.in, c.words, got, c.want)
		}
	}
}

// TestRestoreInPlaces is like TestRestore, but with a known alignment: each word of the output
// replaces a source word. In the test data, ^ before a word means that it belongs to the same
// source word as the word before it, and - means that a source word is deleted.
func TestRestoreInPlaces(t *testing.T) {
	for _, c := range []struct{ in, written, want string }{
		{"Really awful bread.", "- lovely bread .", "Lovely bread."},
		{"Really awful bread.", "- - bread .", "Bread."},
		{"“Really awful bread,” he said.", "`` - lovely bread , '' he said .", "“Lovely bread,” he said."},
		{"“Really awful bread,” he said.", "- - - bread , '' he said .", "Bread,” he said."},
		{"He left. Sadly it rained.", "he left . - it shone .", "He left. It shone."},
		{"sadly it rained, Ada", "- it rained , ada", "it rained, Ada"},
		{"Ada left early.", "- stayed late ^on .", "Stayed late on."},

		// The output has as many words as the source, but the words are not aligned by position.
		{"Bread was NEVER so GOOD.", "bread was - so bad ^enough .", "Bread was so BAD ENOUGH."},
		{"Ada and I saw the NASA film", "ada - i rarely ^saw the nasa film", "Ada I rarely saw the NASA film"},
		{"The Bakery was awful, Ada.", "the bakery - quite ^lovely , ada .", "The Bakery quite lovely, Ada."},
		{"I came and left", "i never ^came - left", "I never came left"},
		{"We came and left", "i ^never came - left", "I never came left"},

		{"Ada was wiped out :)", "ada was tired - : )", "Ada was tired :)"},
		{"We don't like it.", "we do - like it .", "We do like it."},
		{"We don't like it.", "we - n't like it .", "We n't like it."},
		{"We really do not.", "we did - n't .", "We didn't."},
		{"It isn't awful, it's bad!", "it is - lovely , it - good !", "It is lovely, it good!"},
		{"We can not.", "we did ^n't - .", "We didn't."},
		{"It was awful, and cold.", "it was - , and cold .", "It was, and cold."},
		{"It was awful, and cold.", "it was - - and - .", "It was and."},
		{"It was ( really awful ) , Ada", "it was ( - awful ) , ada", "It was ( awful ) , Ada"},
		{"It was (really awful), Ada", "it was ( - awful ) , ada", "It was (awful), Ada"},
		{"It was (awful), Ada", "it was ( - ) , ada", "It was (), Ada"},
		{"Ada Berg's bread", "ada - 's bread", "Ada's bread"},
		{"Stop—it’s awful", "stop - it 's lovely", "Stop it’s lovely"},

		{"Awful bread.", "really ^awful bread .", "Really awful bread."},
		{"Saw Ada there.", "saw dear ^ada there .", "Saw dear Ada there."},
		{"AWFUL bread.", "so ^very ^good bread .", "SO VERY GOOD bread."},
		{"the bread was stale .", "the bread was very ^fresh -", "the bread was very fresh"},
		{"the bread was stale .", "- bread was do ^n't .", "bread was do n't ."},
		{"Stale!", "- -", ""},
	} {
		s, err := (Cutting{}).Cut(c.in)
		if err != nil {
			t.Fatal(err)
		}
		var words Sentence
		places, n := []int{}, 0
		for _, w := range strings.Fields(c.written) {
			if !strings.HasPrefix(w, "^") {
				n++
			}
			if w != "-" {
				words, places = append(words, strings.TrimPrefix(w, "^")), append(places, n-1)
			}
		}
		if n != len(s.Words) {
			t.Fatalf("%q stands for %d words of %q", c.written, n, s.Words)
		}
		if got := s.Restore(words, places); got != c.want {
			t.Errorf("%q and %q make %q, want %q", c.in, c.written, got, c.want)
		}
	}
}

// TestRestoreAnyPlaces checks, for any words and alignment, that all words appear in the result in
// order and without spaces within them. If nothing is deleted or inserted, the result must be the
// same as without places.
func TestRestoreAnyPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, err := (Cutting{}).Cut(strings.Join(rapid.SliceOfN(
			rapid.SampledFrom([]string{"Ada", "isn't", "GOOD,", "bread.", "“So", "what?”", "(it", "was)", "a", "'tis", "3"}), 1, 9,
		).Draw(t, "pieces"), " "))
		if err != nil {
			t.Fatal(err)
		}
		word := rapid.SampledFrom([]string{"n't", "'s", ".", "(", "``", "''", "good", "i", "do", "ada", ","})
		var words Sentence
		places := []int{}
		for k, w := range s.Words {
			here := rapid.OneOf(rapid.Just([]string{w}), rapid.SliceOfN(word, 0, 3)).Draw(t, "here")
			for _, w := range here {
				words, places = append(words, w), append(places, k)
			}
		}
		got := s.Restore(words, places)
		flat := strings.NewReplacer(" ", "", "“", "", "”", "", "``", "", "''", "", `"`, "")
		if want := flat.Replace(strings.Join(words, "")); flat.Replace(strings.ToLower(got)) != want {
			t.Fatalf("%q in %v of %q makes %q", words, places, s.Words, got)
		}
		for k := range len(places) {
			if places[k] != k || len(words) != len(s.Words) {
				return
			}
		}
		if other := s.Restore(words, nil); len(words) > 0 && got != other {
			t.Fatalf("%q makes %q, and without places %q", words, got, other)
		}
	})
}

// TestRestoreIsTheText checks that Restore returns the original text if no word changes. If the
// original text is tokenized, Restore must join the new words by spaces without changing them.
func TestRestoreIsTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.StringMatching(`[A-Za-zé0-9'"“”’(),.!?…$%/_-]{1,8}`), 1, 8).Draw(t, "pieces")
		raw := strings.Join(pieces, " ")
		s, err := (Cutting{}).Cut(raw)
		if err != nil {
			t.Fatal(err)
		}
		if words, _ := (Cutting{}).Tokenize(raw); !slices.Equal(words, s.Words) {
			t.Fatalf("%q is cut into %q, and by Tokenize into %q", raw, s.Words, words)
		}
		for _, piece := range pieces {
			if spellings(piece, splitPiece(typography.Replace(piece))) == nil {
				t.Skip("a sign went into two words")
			}
		}
		if got := s.Restore(s.Words, nil); got != raw {
			t.Fatalf("%q, cut into %q, comes back as %q", raw, s.Words, got)
		}
	})
	demo := Demo().Text[Test][0]
	for i, words := range demo {
		in := strings.Join(words, " ")
		s, err := (Cutting{}).Cut(in)
		if err != nil {
			t.Fatal(err)
		}
		other := demo[(i+1)%len(demo)]
		if got, want := s.Restore(other, nil), strings.Join(other, " "); got != want {
			t.Fatalf("%q makes of %q %q", in, want, got)
		}
	}
}
