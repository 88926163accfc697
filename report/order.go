package report

// firstSeen numbers the keys of rows in the order in which they first appear.
func firstSeen[R any, K comparable](rows []R, key func(R) K) map[K]int {
	order := map[K]int{}
	for _, r := range rows {
		k := key(r)
		if _, ok := order[k]; !ok {
			order[k] = len(order)
		}
	}
	return order
}
