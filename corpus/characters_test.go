package corpus

import (
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/wording"
	"pgregory.net/rapid"
)

// TestCharacters checks that in scripts without spaces each character, together with its marks, is
// a word. Latin words, numbers and signs must be tokenized as usual. Text that is already tokenized
// must stay unchanged.
func TestCharacters(t *testing.T) {
	for in, want := range map[string]string{
		"我今天买了3个苹果，很甜！":          "我 今 天 买 了 3 个 苹 果 ， 很 甜 ！",
		"用Wi-Fi看It's 2.5元":       "用 wi-fi 看 it 's 2.5 元",
		"“潮未至，”舟子曰。":             "`` 潮 未 至 ， '' 舟 子 曰 。",
		"今日は駅でコーヒーを２杯。":          "今 日 は 駅 で コ ー ヒ ー を ２ 杯 。",
		"น้ำชาดี ๑๒ ถ้วย":        "น้ำ ช า ดี ๑๒ ถ้ ว ย",
		"ຊາເຢັນ":                 "ຊ າ ເ ຢັ ນ",
		"តែត្រជាក់":              "តែ ត្ រ ជា ក់",
		"차가 식었다. It's cold.":     "차가 식었다 . it 's cold .", // Korean has spaces
		strings.Repeat("茶", 900): strings.TrimSpace(strings.Repeat("茶 ", 900)),
	} {
		got, err := Cutting{Characters: true}.Tokenize(in)
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: %q, %v, want %q", in, strings.Join(got, " "), err, want)
			continue
		}
		if again, err := (Cutting{Characters: true}).Tokenize(want); err != nil || !slices.Equal(again, got) {
			t.Errorf("%q becomes %q, %v", want, again, err)
		}
	}
	for _, in := range []string{"i do n't mind 10/10 fog , dr. gull .", "l'été à paris , c'est cher ...", "чай остыл , увы ."} {
		plain, err := (Cutting{}).Tokenize(in)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := (Cutting{Characters: true}).Tokenize(in); err != nil || !slices.Equal(got, plain) {
			t.Errorf("%q: %q, %v, want %q", in, got, err, plain)
		}
	}
}

// TestCharactersKeepText checks that any text keeps all its letters and that no character is split.
// Restoring the tokens must give the text as it was written, after Unicode normalisation.
func TestCharactersKeepText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{
			"茶", "凉了", "，", "“", "”", "น้ำ", "ดี", "\u0e49", "テー", "ブル", "Ada", "isn't", "3.5", " ", "!", "...", "e\u0301",
		}), 1, 12).Draw(t, "parts")
		raw := strings.Join(strings.Fields(strings.Join(parts, "")), " ")
		if raw == "" {
			t.Skip("no words")
		}
		s, err := Cutting{Characters: true}.Cut(raw)
		if err != nil {
			t.Fatal(err)
		}
		raw = wording.Normal(raw)
		flat := strings.NewReplacer(" ", "", "“", "``", "”", "''")
		if got, want := strings.Join(s.Words, ""), flat.Replace(strings.ToLower(raw)); got != want {
			t.Fatalf("%q is cut into %q", raw, s.Words)
		}
		for _, w := range s.Words {
			if n := len(pieces(w)); n != 1 {
				t.Fatalf("%q is cut into %q, of which %q is %d characters", raw, s.Words, w, n)
			}
		}
		if got := s.Restore(s.Words, nil); got != raw {
			t.Fatalf("%q, cut into %q, comes back as %q", raw, s.Words, got)
		}
	})
}

// TestRestoreCharacters checks that output whose words are single characters is written without
// spaces between them.
func TestRestoreCharacters(t *testing.T) {
	for _, c := range []struct {
		in, words, want string
		places          []int
	}{
		{"茶凉了，难喝。", "茶 热 了 ， 好 喝 。", "茶热了，好喝。", nil},
		{"茶凉了。", "茶 不 凉 。", "茶不凉。", nil}, // source and output differ in length
		// Two words replace one word.
		{"茶凉了。", "茶 还 很 热 。", "茶还很热。", []int{0, 1, 1, 2, 3}},
		{"Ada说茶凉了。", "ada 说 tea 热 了 。", "Ada说tea热了。", nil},                // no spaces around Latin words
		{"他说：Ada isn't here", "她 说 ： ada is here", "她说：Ada is here", nil}, // spaces stay between Latin words
		// The source is already tokenized, as in the corpora, so the output keeps spaces.
		{"茶 凉 了 。", "茶 热 了 。", "茶 热 了 。", nil},
		{"ชาเย็น ไม่ดี", "ช า ร้ อ น ดี", "ชาร้อนดี", nil},
	} {
		s, err := Cutting{Characters: true}.Cut(c.in)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Restore(strings.Fields(c.words), c.places); got != c.want {
			t.Errorf("%q and %q make %q, want %q", c.in, c.words, got, c.want)
		}
	}
}

// TestSpacing checks which texts are recognised as written without spaces.
func TestSpacing(t *testing.T) {
	for text, want := range map[string]bool{
		"舟子曰：潮未至也，且坐。":   true,
		"今日は駅でコーヒーを飲んだ。": true,
		"วันนี้ดื่มชากับเพื่อน ที่ร้านริมคลอง":        true,
		"我 今天 在 村口 买 了 苹果 ， 很 甜 ！":                    false, // words separated by spaces
		"วันนี้ ดื่ม ชา กับ เพื่อน ที่ ร้าน ริม คลอง": false,
		"我 今 天 买 了 苹 果":                      false,
		"the soup was cold , and so was i .": false,
		"차가 식었다 .":                           false,
		"the sign at the harbour said 茶 and we went in , for tea it was , warm and sweet as ever , and we sat there till the tide came in and the boats went out again": false,
		"the sign said 茶凉了 and we went in": true,
	} {
		s := &Spacing{}
		s.Add(text)
		if s.Without() != want {
			t.Errorf("%q: %+v, want %v", text, s, want)
		}
	}
	lines := &Spacing{}
	for range 30 {
		lines.Add("茶凉") // the end of a text is not white space between letters
	}
	if !lines.Without() {
		t.Errorf("lines of two letters: %+v", lines)
	}
}

// TestCuttingOf checks that a vocabulary of characters is distinguished from one of words.
func TestCuttingOf(t *testing.T) {
	for vocabulary, want := range map[string]bool{
		"<pad>\n<unk>\n茶\n凉\n了\n，\nada\n3": true,
		"<pad>\n茶\n凉\n了\n苹果\n今天":           false,
		"น้ำ ช า ดี ถ้ ว ย":                true,
		"the soup was cold":                false,
		"":                                 false,
	} {
		if got := CuttingOf(vocabulary); got.Characters != want {
			t.Errorf("%q: %v, want %v", vocabulary, got, want)
		}
	}
	v := BuildVocab([][]Sentence{{strings.Fields("茶 凉 了 。"), strings.Fields("the tea")}}, 0)
	if !v.Cutting().Characters {
		t.Error("a vocabulary of characters is not told")
	}
}
