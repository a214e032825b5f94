package hooks

// Named is a hook as a recipe has it.
type Named struct {
	Hook
	Name    string
	Matcher string // of what the event is about; "": any
	Point   Point
}
