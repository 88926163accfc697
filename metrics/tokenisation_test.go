package metrics

import (
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// The function many repeats the sentences until there are at least twenty. Each of the one or two
// texts then occurs at least ten times, which is enough for a warning.
func many(texts ...string) [][]string {
	var all [][]string
	for len(all) < 20 {
		all = append(all, testkit.Split(texts...)...)
	}
	return all
}

func TestDiffer(t *testing.T) {
	plain := many("the soup did n't taste good , it 's cold .", "we won _num_ of them !")
	for _, c := range []struct {
		name             string
		sources, outputs [][]string
		want             []string // parts of the warning; nil means that there is no warning
	}{
		{"alike", plain, many("the soup did n't taste warm , it 's nice .", "we lost _num_ of them !"), nil},
		{
			"attached in the outputs", plain, many("the soup tasted good.", "nice room!"),
			[]string{`punctuation is separate from words in the sources ("good ,") but attached in the outputs ("good.")`},
		},
		{
			"attached in the sources", many("nice room!"), many("nice room ."),
			[]string{`attached to words in the sources ("room!") but separate in the outputs ("room .")`},
		},
		{
			"abbreviations and numbers are no punctuation", many("we saw mr . brel at 5 p.m . today"),
			many("we saw mr. brel at 5 p.m. today 3."), nil,
		},
		{"a few sentences prove nothing", plain[:4], plain[4:8], nil},
		{"few sentences, all different", testkit.Split("it 's cold ."), testkit.Split("It's cold."), nil},
		{
			"contractions glued", many("i do n't know"), many("i don't know"),
			[]string{`contractions are written as "do n't" in the sources but as "don't" in the outputs`},
		},
		{
			"contractions with a lone apostrophe", many("it 's cold"), many("it ' s cold"),
			[]string{`"it 's" in the sources but as "it ' s" in the outputs`},
		},
		{
			"contractions without apostrophe", many("it's cold"), many("it s cold"),
			[]string{`"it's" in the sources but as "it s" in the outputs`},
		},
		{"half of the apostrophes curly", many("it's cold"), many("it’s cold", "it's warm"), nil},
		{"half of them glued", many("it 's cold", "it 's warm"), many("it 's cold", "it's warm"), nil},
		{
			"upper case in the outputs", many("the soup is cold"), many("The soup is warm"),
			[]string{"the outputs have upper case but the sources have none"},
		},
		{
			"upper case in the sources", many("I LIKE IT"), many("i like it"),
			[]string{"the sources have upper case but the outputs have none"},
		},
		{
			"half the sentences in raw case", many("the soup is cold", "we left"),
			many("The soup is warm", "we stayed"), nil,
		},
		{
			"digits for placeholders", many("_num_ rooms"), many("12 rooms"),
			[]string{`numbers are written as "_num_" in the sources but as "12" in the outputs`},
		},
		{
			"placeholders for digits", many("12 rooms"), many("<num> rooms"),
			[]string{`as "12" in the sources but as "<num>"`},
		},
		{"digits and placeholders", many("_num_ rooms", "12 rooms"), many("12 rooms"), nil},
		{
			"several at once", plain, many("It's COLD."),
			[]string{"punctuation is separate", "contractions are", "upper case"},
		},
		{"nothing", nil, nil, nil},
		{"empty sentences", many(""), many("", "a"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := TokenisationWarning("outputs", c.sources, c.outputs)
			if len(c.want) == 0 && got != "" {
				t.Errorf("not silent: %s", got)
			}
			for _, part := range c.want {
				if !strings.Contains(got, part) {
					t.Errorf("%q does not say %q", got, part)
				}
			}
		})
	}
}

// TestDifferPublished checks that only one published system causes a warning: B-GST on Yelp
// ("Transforming"). It writes every "it 's" of the sources as "it ' s", which lowers its s-BLEU. A
// warning about human references may say that they are not tokenised ("better.", "don't"), but must
// not mention upper case.
func TestDifferPublished(t *testing.T) {
	for data, systems := range map[string]string{
		"yelp":   "DirR Stable Transforming Tag CycleRL StyleEmbedding DandR cycleMulti",
		"amazon": "DirR Stable Transforming Tag CrossAligned DandR",
		"imdb":   "cycleMulti",
	} {
		for system := range strings.FieldsSeq(systems) {
			t.Run(data+"/"+system, func(t *testing.T) {
				for _, style := range []string{"0", "1"} {
					source := testkit.Words(t, testkit.Shared(t, data, "test."+style+".txt"))
					output := testkit.Words(t, testkit.Shared(t, "outputs", data, system+"."+style+".txt"))
					got := TokenisationWarning("outputs", source, output)
					if data == "yelp" && system == "Transforming" {
						// The warning must give this reason and no other.
						if !strings.Contains(got, "contractions are written as") || strings.Count(got, ";") != 1 {
							t.Errorf("from %s: %s", style, got)
						}
					} else if got != "" {
						t.Errorf("from %s: %s", style, got)
					}
				}
			})
		}
	}
	for _, data := range []string{"yelp", "amazon"} {
		for _, style := range []string{"0", "1"} {
			sources := testkit.Words(t, testkit.Shared(t, data, "test."+style+".txt"))
			references := testkit.Words(t, testkit.Shared(t, data, "reference."+style+".txt"))
			got := TokenisationWarning("references", sources, references)
			if strings.Contains(got, "upper case") {
				t.Errorf("%s, references from %s: %s", data, style, got)
			}
			t.Logf("%s, references from %s: %q", data, style, got)
		}
	}
}
