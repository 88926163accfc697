// Package human runs a human evaluation of two systems. It draws pairs of outputs, writes blind
// forms, reads the answers, counts the votes, and measures how far annotators agree.
package human

// voteNames are what an annotator may think of two systems' outputs for one source, A and B,
// without knowing which is which: A is better, B is better, both are good, both are bad.
var voteNames = [voteKinds]string{"a", "b", "both", "neither"}

const voteKinds = 4

// decisions counts items by what the majority of their annotators decided: more than half of the
// votes.
type decisions struct {
	Direction   string `json:"direction,omitempty"` // "" for all directions together
	Items       int    `json:"items"`
	A           int    `json:"a"`
	B           int    `json:"b"`
	Both        int    `json:"both"`
	Neither     int    `json:"neither"`
	NoAgreement int    `json:"no_agreement"` // no vote has a majority
}

// agreement is the outcome of a human evaluation.
type agreement struct {
	Directions  []decisions `json:"directions"` // in the order of the votes file
	All         decisions   `json:"all"`
	Annotators  int         `json:"annotators"`
	FleissKappa *float64    `json:"fleiss_kappa,omitempty"` // over all items, see fleissKappa; nil where that has none
}

// Agree decides every item of the votes.
func (v *Votes) Agree() agreement {
	a := agreement{Annotators: len(v.Annotators)}
	var counts [][]int
	for _, d := range v.directions {
		decisions := decisions{Direction: d.name}
		for _, item := range d.items {
			decisions.decide(item.counts)
			a.All.decide(item.counts)
			counts = append(counts, item.counts[:])
		}
		a.Directions = append(a.Directions, decisions)
	}
	if kappa, ok := fleissKappa(counts); ok {
		a.FleissKappa = &kappa
	}
	return a
}

// decide counts one item.
func (d *decisions) decide(votes [voteKinds]int) {
	total := 0
	for _, n := range votes {
		total += n
	}
	d.Items++
	for kind, n := range votes {
		if 2*n > total {
			*[...]*int{&d.A, &d.B, &d.Both, &d.Neither}[kind]++
			return
		}
	}
	d.NoAgreement++
}

// fleissKappa returns the agreement of annotators beyond chance, Fleiss (1971): counts[i][j] is how
// many of item i's annotators chose category j, and every item has the same number n of at least
// two.
//
//	kappa = (P - Pe) / (1 - Pe),  P = mean over i of (sum_j n_ij^2 - n) / (n (n - 1)),  Pe = sum_j p_j^2
//
// with p_j the share of category j in all votes. 1 is full agreement, 0 that of chance. ok is false
// where it is not defined: no item, fewer than two annotators, items with different numbers of
// votes, or one category in all votes.
func fleissKappa(counts [][]int) (kappa float64, ok bool) {
	if len(counts) == 0 {
		return 0, false
	}
	n := 0
	for _, c := range counts[0] {
		n += c
	}
	observed, shares := 0.0, make([]float64, len(counts[0]))
	for _, item := range counts {
		squares, total := 0, 0
		for j, c := range item {
			squares += c * c
			total += c
			shares[j] += float64(c)
		}
		if total != n || n < 2 {
			return 0, false
		}
		observed += float64(squares-n) / float64(n*(n-1))
	}
	observed /= float64(len(counts))
	chance := 0.0
	for _, s := range shares {
		share := s / float64(n*len(counts))
		if share == 1 {
			return 0, false
		}
		chance += share * share
	}
	return (observed - chance) / (1 - chance), true
}
