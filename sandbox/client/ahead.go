package client

// aheadOf is a connection that knows how many bytes are worth reading at once, as one that
// holds in memory what has come.
type aheadOf interface{ Ahead() int }

// ahead is how many bytes are read at once, as far as they are there.
func (c *Client) ahead() int {
	if conn, ok := c.conn.(aheadOf); ok {
		return conn.Ahead()
	}
	return 64 << 10
}
