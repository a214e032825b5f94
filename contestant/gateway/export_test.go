package gateway

// Waiting is how many calls wait for a place, or for a provider that is down.
func (g *Gateway) Waiting() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.idle.Waiting()
}
