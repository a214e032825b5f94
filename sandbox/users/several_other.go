//go:build !linux

package users

import "errors"

// Spanned finds none.
func Spanned() (Span, error) { return Span{}, errors.New("a world with several users needs Linux") }
