package cli

import (
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// englishNegations are phrases of English and what negates them, for guided.negations
// (docs/decisions/042-negations.md). Contractions are split as in Yelp's data: "do n't".
const englishNegations = `
ca n't -> can
wo n't -> will
do n't ->
do not ->
is n't -> is
is not -> is
it 's not -> it is
that 's not -> that is
was n't -> was
was not -> was
are n't -> are
are not -> are
they 're not -> they are
were n't -> were
were not -> were
i 'm not -> i am
did n't -> did
did not -> did
does n't -> does
would n't -> would
would not -> would
can not -> can
could n't -> could
could not -> could
should n't -> should
will not -> will
has n't -> has
have n't -> have
n't ->
not ->
never ->
no one -> everyone
no ->
nobody -> everybody
nothing -> everything
neither -> both
nor -> and
without -> with
is always -> is never
is -> is n't
was always -> was never
was -> was n't
are always -> are never
are -> are n't
were always -> were never
were -> were n't
will always -> will never
will -> wo n't
'll -> wo n't
would -> would n't
could -> could n't
can -> ca n't
did -> did n't
has been -> has n't been
have been -> have n't been
it 's -> it is n't
that 's -> that is n't
they 're -> they are n't
i 'm -> i 'm not
i love -> i do n't love
we love -> we do n't love
i like -> i do n't like
i recommend -> i do n't recommend
highly recommend -> do n't recommend
highly recommended -> not recommended
they have been -> they have n't been
they have -> they do n't have
they had -> they did n't have
always -> never
everyone is -> no one is
everyone was -> no one was
everyone -> no one
everything is -> nothing is
everything was -> nothing was
everything -> nothing
`

// spellings are the ways in which English data write contractions: "do n't", "don't" and "don t".
// Each rewrites phrases of englishNegations.
var spellings = []func(phrase string) string{
	func(phrase string) string { return phrase },
	joined.Replace,
	func(phrase string) string { return strings.ReplaceAll(joined.Replace(phrase), "'", " ") },
}

var joined = strings.NewReplacer(" n't", "n't", " '", "'")

// fewestNegations is of how many entries a list is at least: text of which fewer are known is not
// English.
const fewestNegations = 10

// negations returns the entries of guided.negations that suit a training text: those of which a
// vocabulary of so many words has all, in the spelling that has most of them. Text that is not
// English has none.
func negations(train [][]corpus.Sentence, size int) (most []string) {
	v := corpus.BuildVocab(train, size)
	for n, spelled := range spellings {
		var known []string
		for entry := range strings.Lines(strings.TrimSpace(englishNegations)) {
			from, to, _ := experiment.CutNegation(entry)
			if n > 0 && strings.Contains(from[0], "'") {
				continue // a word only where contractions are split
			}
			phrase, instead := spelled(strings.Join(from, " ")), spelled(strings.Join(to, " "))
			if v.Unknown(strings.Fields(phrase+" "+instead)) == 0 {
				known = append(known, strings.TrimSpace(phrase+" -> "+instead))
			}
		}
		if len(known) > len(most) {
			most = known
		}
	}
	if len(most) < fewestNegations {
		return nil
	}
	return most
}
