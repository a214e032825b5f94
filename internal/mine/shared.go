package mine

// Narrowed gives a test command of go, pytest or node for the tests that lie beside
// some sources, where their names tell; else the command. has are the project's files.
func Narrowed(command string, sources, has []string) string {
	return besideSources(command, sources, has)
}
