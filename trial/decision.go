package trial

// Question is what a run is to decide, before all its trials are tried if it can.
type Question struct {
	Ask   string  `json:"ask"`             // best, ranking, baseline, MODEL vs MODEL
	Level float64 `json:"level"`           // of false alarms
	Delta float64 `json:"delta,omitempty"` // the smallest difference of rates that matters
}

// Decision says how a run's question was answered.
type Decision struct {
	State   string    `json:"state"`             // open, decided, equivalent, futile
	Text    string    `json:"text"`              // one sentence without its full stop
	Dropped []Dropped `json:"dropped,omitempty"` // models that were not tried to the end
}

// Dropped is a model whose further trials could not change the answer.
type Dropped struct {
	Model string `json:"model"`
	After int    `json:"after"` // trials of the run that had ended by then
	// Why: who is better, or that it can't be decided any more. "": of an older run.
	Why string `json:"why,omitempty"`
}
