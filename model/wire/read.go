package wire

import "encoding/json"

// Read reads what a provider says into to. What has another form, as "many" or 12.5 in the
// place of a number, is not ok, and leaves to empty: it must break no reply.
func Read[T any](raw []byte, to *T) (ok bool) {
	var read T
	ok = json.Unmarshal(raw, &read) == nil
	if !ok {
		read = *new(T)
	}
	*to = read
	return ok
}
