package trial

// Shard says which part of a comparison's tasks a run is.
type Shard struct {
	Part  int      `json:"part"` // from 1
	Of    int      `json:"of"`
	Tasks []string `json:"tasks"` // of all parts, in their order
}

// Cut gives the tasks of the part.
func (s Shard) Cut() []string {
	n := len(s.Tasks)
	return s.Tasks[n*(s.Part-1)/s.Of : n*s.Part/s.Of]
}

// Whole reports whether the part can be one: a journal may claim anything.
func (s Shard) Whole() bool { return s.Part >= 1 && s.Part <= s.Of && s.Of <= len(s.Tasks) }
