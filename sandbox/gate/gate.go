// Package gate is the way out of a sandbox to chosen hosts: it checks names,
// resolves them itself, checks the addresses, and connects to what it checked.
package gate

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Gate decides which hosts can be reached. Its zero value lets nothing
// through. It is safe for concurrent use.
type Gate struct {
	// Hosts are the names that may be reached: "example.com" is that name
	// alone, ".example.com" (or "*.example.com") every name below it.
	Hosts []string
	// Any lets every name through whose addresses are public.
	Any bool

	// Net is what is behind the gate; a nil function of it: this machine's.
	Net Net

	mu       sync.Mutex
	attempts []Attempt
	more     int
}

// Net is a network: how names are looked up, how addresses are connected to,
// and which of them are this machine's own.
type Net struct {
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	Dial   func(ctx context.Context, addr netip.AddrPort) (net.Conn, error)
	Own    func() []netip.Addr
}

// Attempt is one way out that was asked for.
type Attempt struct {
	Host    string // as asked for
	Port    string
	Addr    string // that was connected to; "": none
	Refused string // why not; "": it was let through
	Count   int    // how often, in a row
}

func (a Attempt) String() string {
	s := net.JoinHostPort(a.Host, a.Port)
	if a.Refused != "" {
		s = "refused " + strconv.Quote(clip(s)) + ": " + a.Refused
	} else {
		s = "reached " + s + " at " + a.Addr
	}
	if a.Count > 1 {
		s += fmt.Sprintf(" (%d times)", a.Count)
	}
	return s
}

// Refusal is a way out that the gate does not open, in words for a model.
type Refusal struct{ Host, Reason string }

func (e *Refusal) Error() string {
	return fmt.Sprintf("%q can't be reached: %s", clip(e.Host), e.Reason)
}

const (
	maxAttempts = 64 // kept until somebody takes them
	dialTime    = 15 * time.Second
)

// Attempts gives the attempts since they were taken last, and how many more
// there were.
func (g *Gate) Attempts() (all []Attempt, more int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	all, more = g.attempts, g.more
	g.attempts, g.more = nil, 0
	return all, more
}

func (g *Gate) note(a Attempt) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range g.attempts {
		b := &g.attempts[i]
		if b.Host == a.Host && b.Port == a.Port && b.Addr == a.Addr && b.Refused == a.Refused {
			b.Count++
			return
		}
	}
	if len(g.attempts) >= maxAttempts {
		g.more++
		return
	}
	a.Count = 1
	g.attempts = append(g.attempts, a)
}

// Dial connects to host:port, when that is allowed. What is not is a *Refusal.
func (g *Gate) Dial(ctx context.Context, hostport string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		host, port = hostport, ""
	}
	c, addr, err := g.connect(ctx, host, port)
	a := Attempt{Host: host, Port: port}
	var no *Refusal
	switch {
	case errors.As(err, &no):
		a.Refused = no.Reason
	case err != nil:
		a.Refused = "no connection: " + reason(err)
	default:
		a.Addr = addr.Addr().String()
	}
	g.note(a)
	return c, err
}

func (g *Gate) connect(ctx context.Context, host, port string) (net.Conn, netip.AddrPort, error) {
	name, err := Name(host)
	if err != nil {
		return nil, netip.AddrPort{}, &Refusal{host, err.Error()}
	}
	if port != "80" && port != "443" {
		return nil, netip.AddrPort{}, &Refusal{net.JoinHostPort(host, port), "only the ports 80 and 443 can be"}
	}
	if !g.allows(name) {
		return nil, netip.AddrPort{}, &Refusal{host, "it is not among the allowed hosts"}
	}
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	addrs, err := g.resolve(ctx, name)
	if err != nil {
		return nil, netip.AddrPort{}, fmt.Errorf("looking up %s: %w", name, err)
	}
	if len(addrs) == 0 {
		return nil, netip.AddrPort{}, fmt.Errorf("looking up %s: no addresses", name)
	}
	for _, a := range addrs {
		if why := g.private(a); why != "" {
			return nil, netip.AddrPort{}, &Refusal{host, fmt.Sprintf("its address %s is %s", a, why)}
		}
	}
	n, _ := strconv.ParseUint(port, 10, 16)
	for _, a := range addrs {
		to := netip.AddrPortFrom(a, uint16(n))
		var c net.Conn
		if c, err = g.to(ctx, to); err == nil {
			return c, to, nil
		}
	}
	return nil, netip.AddrPort{}, fmt.Errorf("connecting to %s: %w", name, err)
}

func (g *Gate) resolve(ctx context.Context, name string) ([]netip.Addr, error) {
	if g.Net.Lookup != nil {
		return g.Net.Lookup(ctx, name)
	}
	return net.DefaultResolver.LookupNetIP(ctx, "ip", name+".") // rooted: no search domains
}

// to connects to the address that was checked, not to a name that could mean
// another one by now.
func (g *Gate) to(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
	if g.Net.Dial != nil {
		return g.Net.Dial(ctx, addr)
	}
	var d net.Dialer
	return d.DialContext(ctx, "tcp", addr.String())
}

func (g *Gate) allows(name string) bool {
	return g.Any || slices.ContainsFunc(g.Hosts, func(h string) bool {
		h = strings.TrimPrefix(strings.ToLower(h), "*")
		if strings.HasPrefix(h, ".") {
			return strings.HasSuffix(name, h)
		}
		return name == h
	})
}

// private says why an address must not be reached, "" when it may.
func (g *Gate) private(a netip.Addr) string {
	if why := Private(a); why != "" {
		return why
	}
	own := interfaceAddrs
	if g.Net.Own != nil {
		own = g.Net.Own
	}
	if slices.Contains(own(), a.Unmap()) {
		return "this machine's own"
	}
	return ""
}

func interfaceAddrs() []netip.Addr {
	var all []netip.Addr
	addrs, _ := net.InterfaceAddrs()
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok {
			if ip, ok := netip.AddrFromSlice(n.IP); ok {
				all = append(all, ip.Unmap())
			}
		}
	}
	return all
}

// reason is the last part of an error, on one line.
func reason(err error) string {
	var dns *net.DNSError
	if errors.As(err, &dns) && dns.IsNotFound {
		return "no such host"
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Err != nil {
		return clip(op.Err.Error())
	}
	return clip(err.Error())
}

func clip(s string) string {
	if len(s) > 300 {
		return s[:300] + "…"
	}
	return s
}

// Allows reports whether a host is one that may be reached, whatever its addresses are.
func (g *Gate) Allows(host string) bool {
	name, err := Name(host)
	return err == nil && g.allows(name)
}
