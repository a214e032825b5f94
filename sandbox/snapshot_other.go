//go:build !unix

package sandbox

const openNoFollow = 0
