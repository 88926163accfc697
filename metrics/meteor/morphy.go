package meteor

import "strings"

// ending is one of the inflections that WordNet's morphy takes away.
type ending struct{ old, new string }

// endings are the rules of detachment of morphy(7WN), in the form in which NLTK has them.
var endings = map[string][]ending{
	"noun": {
		{"s", ""},
		{"ses", "s"},
		{"ves", "f"},
		{"xes", "x"},
		{"zes", "z"},
		{"ches", "ch"},
		{"shes", "sh"},
		{"men", "man"},
		{"ies", "y"},
	},
	"verb": {{"s", ""}, {"ies", "y"}, {"es", "e"}, {"es", ""}, {"ed", "e"}, {"ed", ""}, {"ing", "e"}, {"ing", ""}},
	"adj":  {{"er", ""}, {"est", ""}, {"er", "e"}, {"est", "e"}},
}

// lemmas returns the forms to look the word up under: itself, and those in the list of exceptions
// or, where it is not there, those that the endings give.
func (p *part) lemmas(word string) []string {
	forms := []string{word}
	if listed, ok := p.exceptions[word]; ok {
		return append(forms, listed...)
	}
	for _, e := range p.endings {
		if s, ok := strings.CutSuffix(word, e.old); ok {
			forms = append(forms, s+e.new)
		}
	}
	return forms
}

// synonyms returns the words of all synsets that the word or a lemma of it is in, of any part of
// speech. Collocations, which hold an underscore, are left out; names keep their capitals, so no
// lower-case word is equal to one, as in NLTK.
func (w *wordNet) synonyms(word string) map[string]bool {
	found := map[string]bool{}
	for i := range w.parts {
		p := &w.parts[i]
		for _, lemma := range p.lemmas(word) {
			for _, place := range p.synsets[lemma] {
				for _, synonym := range p.words(place) {
					if !strings.Contains(synonym, "_") {
						found[synonym] = true
					}
				}
			}
		}
	}
	return found
}
