package corpus

import "strings"

// paperCounts are the sentences of the paper's table of data sets, by split and style (0 negative
// or contradiction, 1 positive or entailment). Train is printed in thousands.
var paperCounts = map[string][3][2]int{
	"yelp":   {{177_000, 266_000}, {2000, 2000}, {500, 500}},
	"imdb":   {{187_000, 178_000}, {2000, 2000}, {1000, 1000}},
	"amazon": {{179_000, 277_000}, {1015, 985}, {500, 500}},
	"snli":   {{183_000, 183_000}, {3278, 3329}, {3237, 3368}},
}

// PaperCounts returns the paper's sizes, by split and style, of the data set that name begins with
// in any case ("yelp", "Yelp-small", ...). ok is false for a data set the paper does not have.
func PaperCounts(name string) (counts [3][2]int, ok bool) {
	name = strings.ToLower(name)
	for prefix, counts := range paperCounts {
		if strings.HasPrefix(name, prefix) {
			return counts, true
		}
	}
	return counts, false
}
