// Package stdio looks at the standard streams of this process from outside: who reads what is written, which files it
// goes to, and what is typed.
package stdio
