package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"cookoff/contestant/gateway"
	"cookoff/model/wire"
	"cookoff/runner/clock"
)

// fronts gives a plain reverse proxy and a gateway before the same provider.
func fronts(b testing.TB, answer http.HandlerFunc) map[string]http.Handler {
	upstream := httptest.NewServer(answer)
	b.Cleanup(upstream.Close)
	to, _ := url.Parse(upstream.URL)
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 256
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.Transport = transport
	g := gateway.New(gateway.Options{Model: "acme/big", Token: token, Clock: clock.Real{},
		Upstream: wire.Upstream{Dialects: []wire.Dialect{wire.Chat, wire.Messages},
			BaseURL: upstream.URL + "/v1", Model: "big-1", Key: key, KeyEnv: "K", Transport: transport}})
	b.Cleanup(func() { g.Close() })
	return map[string]http.Handler{"proxy": proxy, "gateway": g}
}

// call asks a front for a stream, and gives how many bytes came.
func call(client *http.Client, base, body string) (int64, error) {
	req, err := http.NewRequest("POST", base+"/v1/messages", strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("X-Api-Key", token)
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return io.Copy(io.Discard, resp.Body)
}

const endOfMessage = `event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":5,"output_tokens":9}}

event: message_stop
data: {"type":"message_stop"}

`

// body44 is a request as large as agents make them.
func body44() string {
	return `{"model":"any","stream":true,"messages":[{"role":"user","content":"` +
		strings.Repeat("all work and no play ", 44<<10/21) + `"}]}`
}

// processor is the processor time that this process has had.
func processor() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkLatency is the processor's time for one request of 44 KB with a short answer, by
// the gateway against the plain proxy: in turn, and medians, so that what else the machine
// does meets both alike. It is to be 1.5 at most.
func BenchmarkLatency(b *testing.B) {
	took := map[string][]float64{}
	all := fronts(b, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		says(200, sse, endOfMessage)(w, r)
	})
	servers := map[string]*httptest.Server{}
	for name, h := range all {
		servers[name] = httptest.NewServer(h)
		defer servers[name].Close()
	}
	const rounds, each = 40, 50
	body := body44()
	for b.Loop() {
		for range rounds {
			for name, front := range servers {
				before := processor()
				for range each {
					if _, err := call(front.Client(), front.URL, body); err != nil {
						b.Fatal(err)
					}
				}
				took[name] = append(took[name], float64((processor()-before).Microseconds())/each)
			}
		}
	}
	median := func(name string) float64 {
		slices.Sort(took[name])
		return took[name][len(took[name])/2]
	}
	b.ReportMetric(median("proxy"), "cpu-us/proxy")
	b.ReportMetric(median("gateway"), "cpu-us/gateway")
	b.ReportMetric(median("gateway")/median("proxy"), "ratio")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkStream is the processor's time for a streamed megabyte, event by
// event: the client's and the provider's are in it, on both sides alike.
func BenchmarkStream(b *testing.B) {
	const event = "event: content_block_delta\n" +
		"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\" " +
		"and so on\"}}\n\n"
	for name, h := range fronts(b, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", sse)
		for range 1 << 20 / len(event) / 8 {
			io.WriteString(w, strings.Repeat(event, 8)) // as many arrive together
			w.(http.Flusher).Flush()
		}
		io.WriteString(w, endOfMessage)
	}) {
		b.Run(name, func(b *testing.B) {
			front := httptest.NewServer(h)
			defer front.Close()
			before, total := processor(), int64(0)
			for b.Loop() {
				n, err := call(front.Client(), front.URL, body44())
				if err != nil {
					b.Fatal(err)
				}
				total += n
			}
			b.ReportMetric(float64((processor()-before).Microseconds())/1e3/(float64(total)/(1<<20)), "cpu-ms/MB")
		})
	}
}

// TestManyTrials: 200 trials stream at once, each through a gateway of its own;
// each reply is whole, and nothing of them is left.
func TestManyTrials(t *testing.T) {
	const trials, event = 200, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\"}\n\n"
	all, waiting := make(chan bool), sync.WaitGroup{}
	waiting.Add(trials)
	go func() { waiting.Wait(); close(all) }()
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", sse)
		io.WriteString(w, event)
		w.(http.Flusher).Flush()
		waiting.Done()
		<-all // until every trial streams
		io.WriteString(w, strings.Repeat(event, 100)+endOfMessage)
	}))
	defer upstream.Close()
	before := runtime.NumGoroutine()
	transport := &http.Transport{}
	var done sync.WaitGroup
	for i := range trials {
		done.Go(func() {
			g := gateway.New(gateway.Options{Model: "acme/big", Token: fmt.Sprint(token, i), Clock: clock.Real{},
				Upstream: wire.Upstream{Dialects: []wire.Dialect{wire.Messages}, BaseURL: upstream.URL, Model: "big",
					Transport: transport}})
			w := httptest.NewRecorder()
			r := httptest.NewRequest("POST", "/v1/messages", strings.NewReader(`{"model":"x","stream":true}`))
			r.Header.Set("X-Api-Key", fmt.Sprint(token, i))
			g.ServeHTTP(w, r)
			g.Close()
			if want := strings.Repeat(event, 101) + endOfMessage; w.Body.String() != want ||
				g.Tally().Usage.Output != 9 {
				t.Errorf("trial %d: status %d, %d bytes, want %d; %+v", i, w.Code, w.Body.Len(), len(want), g.Tally())
			}
		})
	}
	done.Wait()
	transport.CloseIdleConnections()
	upstream.CloseClientConnections()
	upstream.Close()
	for range 1000 { // what was closed ends by itself
		if runtime.NumGoroutine() <= before+2 {
			return
		}
		runtime.Gosched()
		runtime.GC()
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}
