package report

import "slices"

// inSwitchOrder returns rows by data set and method, in order of first appearance; otherwise in the order given.
func inSwitchOrder(rows []SwitchRow) []SwitchRow {
	sets := firstSeen(rows, func(r SwitchRow) string { return r.Dataset })
	methods := firstSeen(rows, switchGroup)
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b SwitchRow) int {
		if d := sets[a.Dataset] - sets[b.Dataset]; d != 0 {
			return d
		}
		return methods[switchGroup(a)] - methods[switchGroup(b)]
	})
	return rows
}

// switchGroup is a data set and a method: what stands together.
func switchGroup(r SwitchRow) [2]string { return [2]string{r.Dataset, string(r.Method)} }

// severalMethods says whether a table needs a method column.
func severalMethods(rows []SwitchRow) bool {
	return slices.ContainsFunc(rows, func(r SwitchRow) bool { return r.Method != rows[0].Method })
}

func switchSeeds(rows []SwitchRow) []uint64 {
	seeds := make([]uint64, len(rows))
	for i, r := range rows {
		seeds[i] = r.Seed
	}
	return seeds
}

// switchBases returns for each row the index of the first of its data set, method and seed.
func switchBases(rows []SwitchRow) []int {
	first := make([]int, len(rows))
	for i, r := range rows {
		first[i] = i
		for j, other := range rows[:i] {
			if other.Dataset == r.Dataset && other.Method == r.Method && other.Seed == r.Seed {
				first[i] = j
				break
			}
		}
	}
	return first
}
