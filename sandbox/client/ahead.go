package client

// aheadOf is a connection that knows how many bytes are worth reading at once, as one that
// holds in memory what has come.
type aheadOf interface{ Ahead() int }

// ahead is how many bytes are read at once, as far as they are there.
func ahead(conn any) int {
	if conn, ok := conn.(aheadOf); ok {
		return conn.Ahead()
	}
	return 64 << 10
}
