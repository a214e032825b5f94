package wire

import "fmt"

// With decodes the arguments of q for do.
func With[A any](q Request, do func(uint64, A) (any, error)) (any, error) {
	var a A
	if err := Decode(q.Args, &a); err != nil {
		return nil, fmt.Errorf("reading the arguments of %s: %w", q.Op, err)
	}
	Carry(&a, q.Data)
	return do(q.ID, a)
}
