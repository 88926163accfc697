package corpus

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

func TestTokenize(t *testing.T) {
	for in, want := range map[string]string{
		"I don't mind fog.":                    "i do n't mind fog .",
		"The Soup was COLD!":                   "the soup was cold !",
		"It's Ada's boat; we'll go, can't we?": "it 's ada 's boat ; we 'll go , ca n't we ?",
		"  two\tlines\r\nof text\u00a0here ":   "two lines of text here",
		"Dr. Gull (the vet) left at 5:30 p.m.": "dr. gull ( the vet ) left at 5:30 p.m.",
		"$4.50, or 1,200 of them - 10/10":      "$ 4.50 , or 1,200 of them - 10/10",
		"a top-notch T-shirt... wow!!":         "a top-notch t-shirt ... wow ! !",
		"“Fine,” he said — it’s ‘new’…":        "`` fine , '' he said -- it 's ' new ' ...",
		`she said "no" twice`:                  "she said `` no '' twice",
		"five o'clock at O'Hara's, get 'em":    "five o'clock at o'hara 's , get 'em",
		"the dogs' bowls and the '70s":         "the dogs ' bowls and the '70s",
		"soft\u00adhyphen and zero\u200bwidth": "softhyphen and zerowidth",
		"Café ÉCLAIR":                          "café éclair",
		"ȺȺȺ.Ⱥ!":                               "ⱥⱥⱥ . ⱥ !", // Ⱥ is one byte longer in lower case
		"_NUM_ boats, num_num oars":            "_num_ boats , num_num oars",
		"an A+ r&b night w/ us and/or you":     "an a+ r&b night w/ us and/or you",
		"n't 's ' `` '' \" ... .. -- - $ & #1": "n't 's ' `` '' \" ... .. -- - $ & # 1",
	} {
		if got, err := (Cutting{}).Tokenize(in); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: got %q, %v; want %q", in, got, err, want)
		}
	}
}

// TestTokenizeWholeWords checks that a word that contains signs stays one token, and that text that
// only looks like such a word is cut as usual.
func TestTokenizeWholeWords(t *testing.T) {
	for in, want := range map[string]string{
		// links and addresses
		"See HTTPS://Tide.example/a_(b)?x=1#y, or (www.tide.example/x).": "see https://tide.example/a_(b)?x=1#y , or ( www.tide.example/x ) .",
		`Go to "tide.org/boats!", not tide.com's page`:                   "go to `` tide.org/boats ! '' , not tide.com 's page",
		"Mail ada.tern+x@mail.example! Or bob@x.example,eve@x.example":   "mail ada.tern+x@mail.example ! or bob@x.example , eve@x.example",
		"The tide is out.The boat http:// room.com.then":                 "the tide is out . the boat http : / / room . com . then",
		// mentions and hashtags
		"@Ada's boat (@bob_2): #Fog, #2late!": "@ada 's boat ( @bob_2 ) : #fog , #2late !",
		"#1 boat @ the pier @5pm, C# _num_":   "# 1 boat @ the pier @ 5pm , c # _num_",
		// a sign between letters stays
		"B*ats or bo@ts; fo*@g.":                         "b*ats or bo@ts ; fo*@g .",
		"US$50, A$5 or $4.50; us$ tea$$$ 5*4":            "us $ 50 , a $ 5 or $ 4.50 ; us $ tea $ $ $ 5*4",
		"Fog!!But oh!my great!But note** *rows* **bow**": "fog ! ! but oh ! my great ! but note ** * rows * ** bow **",
		// archaic forms with apostrophes
		"'Tis ne'er o'er th' king's head; 'gainst o' th' tide": "'tis ne'er o'er th' king 's head ; 'gainst o' th' tide",
		"‘Twas wi' the dogs' (’twere)":                         "'twas wi' the dogs ' ( 'twere )",
	} {
		got, err := (Cutting{}).Tokenize(in)
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: got %q, %v; want %q", in, strings.Join(got, " "), err, want)
		}
		s, err := (Cutting{}).Cut(in)
		if err != nil || strings.Contains(in, `"`) {
			continue
		}
		if back := s.Restore(s.Words, nil); back != strings.Join(strings.Fields(in), " ") {
			t.Errorf("%q comes back as %q", in, back)
		}
	}
}

// TestTokenizeKeepsTokens checks that text that is already tokenized stays unchanged.
func TestTokenizeKeepsTokens(t *testing.T) {
	for _, in := range []string{
		"i do n't mind fog .",
		"the harbour 's inn charged $ _num_ for num_extend num_num eggs .",
		"they 're late , and i 'm cold ; we 've waited since 5:30 !",
		"a so-so , run-of-the-mill t-shirt ( 10/10 ) -- or ... not ?",
		"`` a good crew , '' said mrs. tern at 7 a.m. , & left .",
	} {
		if got, err := (Cutting{}).Tokenize(in); err != nil || strings.Join(got, " ") != in {
			t.Errorf("%q: got %q, %v", in, got, err)
		}
	}
	for _, s := range Splits {
		for _, sentences := range Demo().Text[s] {
			for _, words := range sentences {
				in := strings.Join(words, " ")
				if got, err := (Cutting{}).Tokenize(in); err != nil || strings.Join(got, " ") != in {
					t.Fatalf("demo, %q: got %q, %v", in, got, err)
				}
			}
		}
	}
}

// TestTokenizeKeepsCorpora checks that at most 1 % of the real test sentences change. The option -v
// shows how many change.
func TestTokenizeKeepsCorpora(t *testing.T) {
	for _, name := range []string{"yelp", "amazon", "imdb", "snli"} {
		d, err := Load(testkit.Shared(t, name), name, nil)
		if err != nil {
			t.Fatal(err)
		}
		lines, changed := 0, 0
		for _, sentences := range d.Text[Test] {
			for _, words := range sentences {
				in := strings.ToLower(strings.Join(words, " "))
				lines++
				if got, err := (Cutting{}).Tokenize(in); err != nil || strings.Join(got, " ") != in {
					changed++
				}
			}
		}
		t.Logf("%s: %d of %d sentences change", name, changed, lines)
		if changed*100 > lines {
			t.Errorf("%s: over 1 %% change", name)
		}
	}
}

func TestTokenizeRefuses(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"empty":        {"", "has no words"},
		"white space":  {" \n\u2003", "has no words"},
		"invisible":    {"\x07\u200b", "has no words"},
		"NUL":          {"so\x00up", "contains the character U+0000: remove it, or convert the file to UTF-8 if"},
		"not UTF-8":    {"caf\xe9", "not UTF-8"},
		"long":         {strings.Repeat("a ", maxWords+1), "more than 1000 words"},
		"long by cuts": {strings.Repeat("!!!!!!!!!! ", maxWords/10+1), "more than 1000 words"},
		"100,000":      {strings.Repeat("word ", 100_000), "more than 1000 words"},
		"long word":    {strings.Repeat("a", 100_000), "contains a word of 100000 bytes"},
	} {
		_, err := (Cutting{}).Tokenize(c.in)
		if err == nil || !strings.Contains(err.Error(), c.want) || userr.CodeOf(err) != userr.BadInput {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// TestPlainPieces checks that cutPiece leaves the pieces unchanged that isSimple reports as simple.
// It tries every visible ASCII character and random words of letters and digits.
func TestPlainPieces(t *testing.T) {
	var pieces []string
	for c := byte('!'); c < 0x7f; c++ {
		pieces = append(pieces, string(c))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		word := make([]byte, 1+rng.IntN(6))
		for i := range word {
			word[i] = "abemnstvdrl019"[rng.IntN(14)] // the characters of clitics and abbreviations
		}
		pieces = append(pieces, string(word))
	}
	found := 0
	for _, p := range pieces {
		if !isSimple(p) {
			continue
		}
		found++
		if got := cutPiece(p); len(got) != 1 || got[0] != p {
			t.Errorf("%q is cut into %q", p, got)
		}
	}
	if found < len(pieces)-26 { // all but the 26 capitals are simple
		t.Errorf("%d of %d pieces are plain", found, len(pieces))
	}
	for _, p := range []string{"don't", "A", "a.", "é", "_", ".."} {
		if isSimple(p) != (p == "_") {
			t.Errorf("plain(%q) is %v", p, isSimple(p))
		}
	}
}

// BenchmarkTokenize cuts a sentence of nine words.
func BenchmarkTokenize(b *testing.B) {
	for b.Loop() {
		if _, err := (Cutting{}).Tokenize("the soup was cold and we didn't like it."); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzTokenize checks that nothing panics, that a corpus file can hold the words, that no letter is
// lost, and that tokenizing the result again changes nothing.
func FuzzTokenize(f *testing.F) {
	for _, s := range []string{
		"I don't mind fog.", "a.m. Dr. O'Hara's _num_ ''n't\"\"", "ȺİẞǅΣ ﬁ", "<mask> [UNK]", "\u2028\ufeff\xff",
		"'s't'70s-'--n't+", "她说“it's 茶”。", "น้ำชา\u0e49é",
		"see https://a.example/x).", "(@ada's #fog", "ada@mail.example,", "cr@p a$$! f*** **ck sh!p", "th' 'gainst @$$",
	} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, raw string, characters bool) {
		cutting := Cutting{Characters: characters}
		words, err := cutting.Tokenize(raw)
		if err != nil {
			var ue *userr.Error
			if !errors.As(err, &ue) || ue.Code != userr.BadInput {
				t.Fatalf("%q: %v", raw, err)
			}
			return
		}
		text := strings.Join(words, " ")
		if !utf8.ValidString(text) || len(words) > maxWords || len(strings.Fields(text)) != len(words) {
			t.Fatalf("%q: bad words %q", raw, words)
		}
		if !strings.ContainsAny(raw, "\"“”’‘—…") {
			var letters strings.Builder
			for piece := range strings.FieldsSeq(wording.Normal(raw)) {
				letters.WriteString(strings.ToLower(piece))
			}
			if got := strings.Join(words, ""); got != letters.String() {
				t.Fatalf("%q: letters lost: %q", raw, words)
			}
		}
		again, err := cutting.Tokenize(text)
		if err != nil || strings.Join(again, " ") != text {
			t.Fatalf("%q: %q became %q, %v", raw, words, again, err)
		}
	})
}

// TestTokenizeKeepsMeaning checks that a word with zero-width joiners stays one word and is
// restored as the user wrote it. Two Unicode forms of a text must give the same words.
func TestTokenizeKeepsMeaning(t *testing.T) {
	for _, word := range []string{
		"\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0dc1\u0dca\u200d\u0dbb\u0dd3", "\U0001f469\u200d\U0001f52c",
	} {
		s, err := (Cutting{}).Cut("A " + word + " Here.")
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(s.Words, " "); got != "a "+word+" here ." {
			t.Errorf("%+q became %+q", word, got)
		}
		if got := s.Restore(s.Words, nil); got != "A "+word+" Here." {
			t.Errorf("%+q is written as %+q", word, got)
		}
	}
	one, err := (Cutting{}).Tokenize("le caf\u00e9 \u00c9tait bon")
	if err != nil {
		t.Fatal(err)
	}
	other, err := (Cutting{}).Tokenize("le cafe\u0301 E\u0301tait\u200e bon")
	if err != nil || strings.Join(one, " ") != strings.Join(other, " ") {
		t.Errorf("%+q and %+q (%v)", one, other, err)
	}
}
