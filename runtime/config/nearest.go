package config

import "strings"

// Nearest is the candidate most like a name, or "" if none is alike. Case does not count.
func Nearest(name string, candidates []string) string { return nearest(name, candidates) }

// nearest is the candidate most like a name, or "" if none is alike. Case does not count.
func nearest(name string, candidates []string) string {
	best, least := "", maxDistance(name)+1
	for _, c := range candidates {
		if d := distance(strings.ToLower(name), strings.ToLower(c), least); d < least {
			best, least = c, d
		}
	}
	return best
}

// maxDistance is how many slips of the pen a name of this length may have.
func maxDistance(name string) int {
	switch n := len(name); {
	case n <= 3:
		return 1
	case n <= 6:
		return 2
	default:
		return min(n/3, 5)
	}
}

// distance counts insertions, deletions, replacements and swaps of neighbours that lead from a to b. It gives up at the limit.
func distance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if diff := len(x) - len(y); diff >= limit || -diff >= limit {
		return limit
	}
	before, last := make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row := make([]int, len(y)+1)
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(y)]
}
