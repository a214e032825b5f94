package model

// Trouble is what keeps a provider from being reached; "": none that is known.
type Trouble string

// What there may be.
const (
	NothingListens Trouble = "nothing listens"
	UnknownHost    Trouble = "unknown host"
	PlainServer    Trouble = "http where https is asked"
	TLSServer      Trouble = "https where http is asked"
	Distrusted     Trouble = "a certificate that is not trusted"
	NoRoute        Trouble = "no network"
	NoAnswer       Trouble = "no answer"
	CutConnection  Trouble = "a connection that the other side ends"
	NoProxy        Trouble = "a proxy that can't be reached"
	ProxyRefuses   Trouble = "a proxy that lets nothing through"
)
