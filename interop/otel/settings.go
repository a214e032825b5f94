package otel

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Settings are what the environment says of traces, in OpenTelemetry's own names.
type Settings struct {
	Disabled   string // the variable that says that nothing is sent; "": none does
	Endpoint   string // the address for traces
	Headers    map[string]string
	Timeout    time.Duration // of one request
	Gzip       bool
	CA         string // file of certificates to believe
	Cert, Key  string // files of the client's own
	Resource   map[string]string
	Contents   bool
	unreadable []string
}

// Read reads OTEL_* from an environment. The error names every variable that can't be
// met; none is ever shown with its value, as headers hold keys.
func Read(getenv func(string) string, version string) (Settings, error) {
	of := func(name string) string {
		if v := getenv("OTEL_EXPORTER_OTLP_TRACES_" + name); v != "" {
			return v
		}
		return getenv("OTEL_EXPORTER_OTLP_" + name)
	}
	s := Settings{Timeout: 10 * time.Second, Gzip: true, CA: of("CERTIFICATE"), Cert: of("CLIENT_CERTIFICATE"),
		Key: of("CLIENT_KEY")}
	if strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") {
		s.Disabled = "OTEL_SDK_DISABLED"
	} else if strings.EqualFold(getenv("OTEL_TRACES_EXPORTER"), "none") {
		s.Disabled = "OTEL_TRACES_EXPORTER"
	}
	s.endpoint(getenv)
	s.Headers = s.pairs("OTEL_EXPORTER_OTLP_HEADERS", of("HEADERS"))
	if ms := of("TIMEOUT"); ms != "" {
		n, err := strconv.Atoi(ms)
		if err != nil || n <= 0 {
			s.refuse("OTEL_EXPORTER_OTLP_TIMEOUT is a number of milliseconds above 0")
		}
		s.Timeout = time.Duration(n) * time.Millisecond
	}
	switch of("COMPRESSION") {
	case "", "gzip":
	case "none":
		s.Gzip = false
	default:
		s.refuse("OTEL_EXPORTER_OTLP_COMPRESSION is gzip or none")
	}
	if p := of("PROTOCOL"); p == "grpc" {
		s.refuse("OTEL_EXPORTER_OTLP_PROTOCOL=grpc is not spoken: http/json and http/protobuf receivers take " +
			"what is sent; " +
			"the port is 4318 as a rule")
	}
	s.resource(getenv, version)
	switch strings.ToLower(getenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT")) {
	case "true", "span_only", "span_and_event":
		s.Contents = true
	}
	if len(s.unreadable) > 0 {
		return s, fmt.Errorf("%s", strings.Join(s.unreadable, "\n"))
	}
	return s, nil
}

func (s *Settings) refuse(why string) { s.unreadable = append(s.unreadable, why) }

// endpoint finds the address: that for traces as it is, the common one with the path
// that traces have.
func (s *Settings) endpoint(getenv func(string) string) {
	name := "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	s.Endpoint = getenv(name)
	if s.Endpoint == "" {
		name = "OTEL_EXPORTER_OTLP_ENDPOINT"
		if s.Endpoint = getenv(name); s.Endpoint == "" {
			s.Endpoint = "http://localhost:4318"
		}
		s.Endpoint = strings.TrimRight(s.Endpoint, "/") + "/v1/traces"
	}
	u, err := url.Parse(s.Endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		s.refuse(name + " is no address that begins with http:// or https://")
	}
}

// Place is the address without what nobody should see.
func (s Settings) Place() string {
	u, err := url.Parse(s.Endpoint)
	if err != nil {
		return "the collector"
	}
	return u.Scheme + "://" + u.Host + u.Path
}

func (s *Settings) resource(getenv func(string) string, version string) {
	s.Resource = map[string]string{"service.name": "cookoff", "service.version": version}
	maps.Copy(s.Resource, s.pairs("OTEL_RESOURCE_ATTRIBUTES", getenv("OTEL_RESOURCE_ATTRIBUTES")))
	if name := getenv("OTEL_SERVICE_NAME"); name != "" {
		s.Resource["service.name"] = name
	}
}

// pairs reads KEY=VALUE,…, in which values are escaped as in addresses.
func (s *Settings) pairs(name, text string) map[string]string {
	out := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if key = strings.TrimSpace(key); !ok || key == "" || err != nil || strings.ContainsAny(key+value, "\r\n") {
			s.refuse(name + " is KEY=VALUE,KEY=VALUE with values escaped as in addresses")
			return out
		}
		out[key] = value
	}
	return out
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
