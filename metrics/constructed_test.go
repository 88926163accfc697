package metrics

import (
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// constructedMasks are invented sentences of two styles. Each bracket holds the style words of the
// source, then the words that a human would write there in the other style.
var constructedMasks = [][]string{
	{
		"the soup was [cold|warm] and the bread was [stale|fresh] .",
		"we waited an hour and the waiter was [rude|kind] .",
		"[never|always] take a room here , it is [noisy|quiet] .",
		"the phone [broke|worked] after a week .",
		"i [regret|enjoyed] this film from the first minute to the last .",
		"their tea tastes [awful|lovely] , their cake [worse|better] .",
		"we [never|often] go back to that [dirty|clean] little place .",
		"he [lost|found] my coat and was [cross|glad] about it .",
		"the second half of the concert was [boring|thrilling] for us .",
		"[sadly|luckily] the lift is [broken|fixed] again this week .",
		"my aunt [hated|loved] the walk and the [dull|fine] view .",
		"this map is [useless|handy] once you have left the town .",
	},
	{
		"the garden is [beautiful|neglected] and the path is [easy|muddy] .",
		"my order came [early|late] and the box was [intact|torn] .",
		"a [charming|dull] story , [brightly|lazily] told .",
		"the battery [lasts|dies] all day .",
		"everybody was [helpful|unfriendly] at the desk .",
		"the seats are [soft|hard] and there is [plenty of|hardly any] room .",
		"we [always|seldom] go back to that [bright|gloomy] little place .",
		"she [fixed|ruined] my watch and was [cheerful|grumpy] about it .",
		"the first half of the concert was [splendid|tedious] for us .",
		"[happily|sadly] the tram is [running|late] again this week .",
		"my uncle [adored|disliked] the dinner and the [sweet|sour] wine .",
		"this knife is [sharp|blunt] even after you have cut the bread .",
	},
}

// The function constructed returns the outputs of a system that replaces each bracket of
// constructedMasks by the result of the function fill.
func constructed(fill func(source, human string) string) []Input {
	dirs := make([]Input, len(constructedMasks))
	for d, sentences := range constructedMasks {
		in := Input{From: "xy"[d : d+1], To: "yx"[d : d+1]}
		for _, s := range sentences {
			var source, output strings.Builder
			for before, rest, more := strings.Cut(s, "["); ; before, rest, more = strings.Cut(rest, "[") {
				source.WriteString(before)
				output.WriteString(before)
				if !more {
					break
				}
				var gap string
				gap, rest, _ = strings.Cut(rest, "]")
				theirs, human, _ := strings.Cut(gap, "|")
				source.WriteString(theirs)
				output.WriteString(fill(theirs, human))
			}
			in.Source, in.Output = append(
				in.Source, strings.Fields(source.String()),
			), append(in.Output, strings.Fields(output.String()))
		}
		dirs[d] = in
	}
	return dirs
}

// TestConstructedSystems compares three systems: the first writes the same word in place of the
// words in each bracket, the second copies its sources, and the third consists of human rewrites.
// The fields of Collapse must tell the first system from the others, and the share of unchanged
// outputs must identify the copies. s-BLEU and ROUGE-L do not help: they rate the first system at
// least as high as humans. No classifier is used.
func TestConstructedSystems(t *testing.T) {
	score := func(fill func(source, human string) string) *Scores {
		r, err := Score(constructed(fill), Instruments{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	oneWord := score(func(string, string) string { return "great" })
	copied := score(func(source, _ string) string { return source })
	human := score(func(_, human string) string { return human })
	for d := range oneWord.Directions {
		one, same, humans := oneWord.Directions[d], copied.Directions[d], human.Directions[d]
		t.Logf("direction %d: one word %+v, copied %+v, human %+v", d, one.Collapse, same.Collapse, humans.Collapse)
		if one.MostFrequentNewWord != "great" || one.MostFrequentNewWordShare != 1 || one.DistinctNewWords != 1 {
			t.Errorf("one word in every gap: %+v", one.Collapse)
		}
		if n, most := same.Unchanged(); same.MostFrequentNewWordShare != 0 || same.DistinctNewWords != 0 ||
			n != same.N || !most {
			t.Errorf("sources copied: %+v, %d unchanged", same.Collapse, n)
		}
		if n, _ := humans.Unchanged(); n != 0 {
			t.Errorf("of human rewrites %d are unchanged", n)
		}
		if humans.MostFrequentNewWordShare > .2 || humans.DistinctNewWords < 8 {
			t.Errorf("human rewrites: %+v", humans.Collapse)
		}
		if one.Metrics["distinct_2"] >= humans.Metrics["distinct_2"] {
			t.Errorf("diversity: one word has distinct-2 %.3f, humans %.3f", one.Metrics["distinct_2"], humans.Metrics["distinct_2"])
		}
		t.Logf(
			"s-BLEU %.2f and %.2f, ROUGE-L %.3f and %.3f", one.Metrics["s_bleu"], humans.Metrics["s_bleu"],
			one.Metrics["rouge_l"], humans.Metrics["rouge_l"],
		)
		if one.Metrics["s_bleu"] < humans.Metrics["s_bleu"] || one.Metrics["rouge_l"] < humans.Metrics["rouge_l"] {
			t.Error("the content columns tell it from humans already, so this shows nothing")
		}
	}
}

// The function masked returns the outputs of a system that shortens its sources. The argument stays
// is the function that shortens a source: it gets the words of the source, and for each word
// whether it is a style word, and returns the output.
func masked(stays func(words []string, masks []bool) []string) []Input {
	const mask = "<mask>"
	dirs := constructed(func(source, _ string) string {
		return strings.TrimSpace(strings.Repeat(mask+" ", len(strings.Fields(source))))
	})
	for d := range dirs {
		for i, words := range dirs[d].Output {
			masks := make([]bool, len(words))
			for k, w := range words {
				masks[k] = w == mask
			}
			dirs[d].Output[i] = stays(dirs[d].Source[i], masks)
		}
	}
	return dirs
}

// TestConstructedLengths checks that systems have the flaw Shortened if they shorten their outputs
// to raise their scores. Human rewrites do not have it, and neither does a system that deletes only
// the style words.
func TestConstructedLengths(t *testing.T) {
	keep := func(stays func(words []string, masks []bool, k int) bool) []Input {
		return masked(func(words []string, masks []bool) (left []string) {
			for k, w := range words {
				if stays(words, masks, k) {
					left = append(left, w)
				}
			}
			return left
		})
	}
	// liked stands in for a style judge that counts words. A word has a positive number if it is
	// more frequent in sources of the target style.
	liked := [2]map[string]int{{}, {}}
	for d, in := range constructed(func(source, _ string) string { return source }) {
		for _, words := range in.Source {
			for _, w := range words {
				liked[d][w]--
				liked[1-d][w]++
			}
		}
	}
	byJudge := masked(func(words []string, _ []bool) []string { return words })
	for d := range byJudge {
		for i, words := range byJudge[d].Source {
			byJudge[d].Output[i] = lists.Filter(words, func(w string) bool { return liked[d][w] > 0 })
		}
	}
	for _, c := range []struct {
		name    string
		outputs []Input
		want    string // the symbols that mark the expected flaws
	}{
		{"the first two words", keep(func(_ []string, _ []bool, k int) bool { return k < 2 }), "¶"},
		{"no mask and no word beside one", keep(func(_ []string, masks []bool, k int) bool {
			return !slices.Contains(masks[max(0, k-1):min(len(masks), k+2)], true)
		}), "¶"},
		{"words that the judge likes", byJudge, "¶"},
		{"one short sentence", masked(func([]string, []bool) []string { return []string{"we", "like", "it", "."} }), "¶"},
		{"no word", keep(func([]string, []bool, int) bool { return false }), "¶"},
		{"no mask", keep(func(_ []string, masks []bool, k int) bool { return !masks[k] }), ""},
		{"human", constructed(func(_, human string) string { return human }), ""},
	} {
		for d := range c.outputs { // repeat all sentences, so that there are enough outputs for the rule
			in := &c.outputs[d]
			in.Source, in.Output = slices.Repeat(in.Source, 2), slices.Repeat(in.Output, 2)
		}
		s, err := Score(c.outputs, Instruments{})
		if err != nil {
			t.Fatal(err)
		}
		if got := Signs(s.Flaws()); got != c.want {
			t.Errorf("%s: the flaws %q, want %q", c.name, got, c.want)
		}
		for _, d := range s.Directions {
			n, _ := d.Halved()
			t.Logf("%s, from %s: %d of %d halved, length ratio %.3f", c.name, d.From, n, d.N, d.Metrics["length_ratio"])
		}
	}
}
