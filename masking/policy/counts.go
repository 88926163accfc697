package policy

// Counts tells how much a set of masks covers.
type Counts struct {
	Sentences int `json:"sentences"`
	Words     int `json:"words"`
	Masked    int `json:"masked"`
	All       int `json:"all"`  // sentences masked whole
	None      int `json:"none"` // sentences without a mask
}

// Count counts masks.
func Count(masks [][]bool) Counts {
	var c Counts
	for _, m := range masks {
		k := 0
		for _, on := range m {
			if on {
				k++
			}
		}
		c.Sentences++
		c.Words += len(m)
		c.Masked += k
		if k == 0 {
			c.None++
		} else if k == len(m) {
			c.All++
		}
	}
	return c
}

// Share returns the masked part of all words, 0 to 1.
func (c Counts) Share() float64 {
	if c.Words == 0 {
		return 0
	}
	return float64(c.Masked) / float64(c.Words)
}
