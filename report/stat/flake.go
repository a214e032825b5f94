package stat

// Flake is the chance that two trials of one contestant at a task end differently, each by
// is one contestant's; pairs is of how many pairs of trials it is a mean. 0 pairs: nobody
// tried it twice.
func Flake(by []Cluster) (score float64, pairs int) {
	differ := 0
	for _, c := range by {
		differ += c.Pass * (c.N - c.Pass)
		pairs += c.N * (c.N - 1) / 2
	}
	if pairs == 0 {
		return 0, 0
	}
	return float64(differ) / float64(pairs), pairs
}
