package naturalness

import (
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

func TestRegexTokens(t *testing.T) {
	for text, want := range map[string]string{
		"They don't":         "they don't",
		"ca n't it 's":       "ca n't it ' s",
		"well-run-by-two":    "well-run - by-two",
		"_num_ num_num":      "_ num _ num_num",
		"open 7pm , 6:30":    "open 7 pm , 6 :3 0",
		"wait ... '' ``-- !": "wait ... '' `` -- !",
		"so,.!":              "so , . !",
		"Dr.Who mrs. adams.": "dr. who mrs. adams .",
		"9 a.m. or t.v":      "9 a.m. or t . v",
		"cafés b**t 10/10":   "caf é s b ** t 10 / 10",
		"o'clock rock-'n x-": "o'clock rock - ' n x -",
		"éé ’’":              "éé ’’",
	} {
		if got := strings.Join(regexTokens.tokens(strings.Fields(text)), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := whiteSpaceTokens.tokens([]string{"It's", "6:30"}); !slices.Equal(got, []string{"it's", "6:30"}) {
		t.Errorf("white-space tokens: %q", got)
	}
}

// FuzzRegexTokens checks that tokens keep every character that is not white space, in order, and
// that no token is empty.
func FuzzRegexTokens(f *testing.F) {
	for _, s := range []string{"", "don't", "a.m.", "é\u00a0é", "\xff\xff", ":3:3", "a--b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tokens := appendRegexTokens(nil, s)
		if slices.Contains(tokens, "") {
			t.Errorf("%q has an empty token: %q", s, tokens)
		}
		var kept strings.Builder
		for i := 0; i < len(s); {
			r, n := utf8.DecodeRuneInString(s[i:])
			if !unicode.IsSpace(r) {
				kept.WriteString(s[i : i+n])
			}
			i += n
		}
		if got := strings.Join(tokens, ""); got != kept.String() {
			t.Errorf("%q: tokens hold %q, want %q", s, got, kept.String())
		}
	})
}

// TestTokenizerCheck compares the regex tokens with the 600 tokenized sentences that are published
// with the weights.
func TestTokenizerCheck(t *testing.T) {
	rows := readRows(t, testkit.Shared(t, "naturalness", "tokenizer_check.tsv"))
	if len(rows) != 600 {
		t.Fatalf("%d sentences, want 600", len(rows))
	}
	for i, row := range rows {
		if got := strings.Join(regexTokens.tokens(strings.Fields(row[0])), " "); got != row[1] {
			t.Errorf("line %d: got %q, want %q", i+1, got, row[1])
		}
	}
}

// TestPublishedScores reproduces the published scores of single sentences.
func TestPublishedScores(t *testing.T) {
	rows := readRows(t, testkit.Shared(t, "naturalness", "yelp_test_scores.tsv"))
	if len(rows) != 245 { // a header and 244 sentences
		t.Fatalf("%d rows, want 245", len(rows))
	}
	for column, name := range rows[0][2:] {
		nat, err := Load(testkit.Shared(t, "naturalness", name+".tsv"))
		if err != nil {
			t.Fatal(err)
		}
		worst := 0.0
		for _, row := range rows[1:] {
			want, err := strconv.ParseFloat(row[2+column], 64)
			if err != nil {
				t.Fatal(err)
			}
			worst = max(worst, math.Abs(nat.Score(strings.Fields(row[1]))-want))
		}
		if worst > 1e-9 {
			t.Errorf("%s: largest deviation %v, want at most 1e-9", name, worst)
		}
		t.Logf("%s: largest deviation %.1e", name, worst)
	}
}

// readRows reads tab-separated rows.
func readRows(t *testing.T, path string) [][]string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for line := range strings.Lines(string(data)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows
}
