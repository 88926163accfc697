package demo

import "strings"

// pair is one phrase in gloomy and in cheerful text.
type pair [2]string

// topic is a kind of thing guests write about.
type topic struct {
	class  string   // whose templates fit it
	places string   // list of places where its things are
	sense  string   // verb of perception
	things []string // singular nouns
	many   []string // plural nouns
	looks  []pair   // adjectives
	deeds  []pair   // what guests did to it, past tense
}

// words cuts a list at white space; an underscore stands for a space.
func words(list string) []string {
	fields := strings.Fields(list)
	for i, f := range fields {
		fields[i] = strings.ReplaceAll(f, "_", " ")
	}
	return fields
}

// pairs is words on gloomy/cheerful pairs.
func pairs(list string) []pair {
	var out []pair
	for _, f := range words(list) {
		gloomy, cheerful, ok := strings.Cut(f, "/")
		if !ok {
			panic("demo: not a pair: " + f)
		}
		out = append(out, pair{gloomy, cheerful})
	}
	return out
}

// phrases cuts a list at slashes.
func phrases(list string) []string {
	out := strings.Split(list, "/")
	for i, f := range out {
		out[i] = strings.Join(strings.Fields(f), " ")
	}
	return out
}
