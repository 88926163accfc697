package metrics

import (
	"strings"
	"testing"
)

// constructedMasks are invented sentences with their words of style in brackets, and what a human
// would write there in the other style.
var constructedMasks = [][]string{
	{
		"the soup was [cold|warm] and the bread was [stale|fresh] .",
		"we waited an hour and the waiter was [rude|kind] .",
		"[never|always] take a room here , it is [noisy|quiet] .",
		"the phone [broke|worked] after a week .",
		"i [regret|enjoyed] this film from the first minute to the last .",
		"their tea tastes [awful|lovely] , their cake [worse|better] .",
	},
	{
		"the garden is [beautiful|neglected] and the path is [easy|muddy] .",
		"my order came [early|late] and the box was [intact|torn] .",
		"a [charming|dull] story , [brightly|lazily] told .",
		"the battery [lasts|dies] all day .",
		"everybody was [helpful|unfriendly] at the desk .",
		"the seats are [soft|hard] and there is [plenty of|hardly any] room .",
	},
}

// constructed returns what a system makes of them that fills every gap by the function.
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

// TestConstructedSystems: the columns of collapse tell a system that writes one word into every gap
// from one that copies and from humans, and unchanged outputs the one that copies. BLEU and ROUGE-L
// do not: they put it level with humans or above. What a classifier says is not tried here.
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
		if n, most := same.Unchanged(); same.MostFrequentNewWordShare != 0 || same.DistinctNewWords != 0 || n != 6 ||
			!most {
			t.Errorf("sources copied: %+v, %d unchanged", same.Collapse, n)
		}
		if n, _ := humans.Unchanged(); n != 0 {
			t.Errorf("of human rewrites %d are unchanged", n)
		}
		if humans.MostFrequentNewWordShare > .2 || humans.DistinctNewWords < 8 {
			t.Errorf("human rewrites: %+v", humans.Collapse)
		}
		if one.Metrics["distinct_1"] >= humans.Metrics["distinct_1"] ||
			one.Metrics["self_bleu"] <= humans.Metrics["self_bleu"] {
			t.Errorf(
				"diversity: one word has distinct-1 %.3f and self-BLEU %.2f, humans %.3f and %.2f",
				one.Metrics["distinct_1"], one.Metrics["self_bleu"], humans.Metrics["distinct_1"],
				humans.Metrics["self_bleu"],
			)
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
