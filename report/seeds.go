package report

// severalSeeds says whether a table needs a seed column.
func severalSeeds(seeds []uint64) bool {
	for _, s := range seeds {
		if s != seeds[0] {
			return true
		}
	}
	return false
}
