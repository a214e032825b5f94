//go:build !linux

package users

import "errors"

// Spanned finds no users: only Linux has worlds with several.
func Spanned() (Span, error) { return Span{}, errors.New("a world with several users needs Linux") }
