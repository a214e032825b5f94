package trial

// Kinds of Failure.
const (
	FailedProvider    = "provider"
	FailedTimeout     = "timeout"
	FailedContext     = "context"
	FailedRefused     = "refused"
	FailedUnsupported = "unsupported"
)
