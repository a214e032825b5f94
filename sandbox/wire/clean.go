package wire

// Clean makes a text of the guest short and safe to print.
func Clean(s string) string {
	if len(s) > 2000 {
		s = s[:2000] + "…"
	}
	return Printable(s)
}

// Printable shows what controls a terminal as question marks.
func Printable(s string) string {
	b := []rune{}
	for _, r := range s {
		if r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 {
			r = '?'
		}
		b = append(b, r)
	}
	return string(b)
}
