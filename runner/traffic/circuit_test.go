package traffic

import (
	"errors"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/runner/clock"
)

// TestPageInPlaceOfAnAPI: where a page came for the first request, no other is worth its
// while; from a provider that has answered it is a fault that may pass.
func TestPageInPlaceOfAnAPI(t *testing.T) {
	page := &model.RetryError{Page: true, Err: errors.New("a web page\nhint: look")}
	request := func(l *Lines, err error) *LostError {
		t.Helper()
		p, refused := l.Pass(t.Context(), "lab/one", nil)
		if refused != nil {
			t.Fatal(refused)
		}
		_, lost := p.End("t001", err)
		return lost
	}
	l := NewLines(clock.Real{}, 0, nil)
	if lost := request(l, page); lost == nil || !strings.Contains(lost.Error(), "no API of models: a web page; hint: look") {
		t.Errorf("a page at once: %v", lost)
	}
	if _, err := l.Pass(t.Context(), "lab/other", nil); err == nil {
		t.Error("the provider is asked again")
	}
	l = NewLines(clock.Real{}, 0, nil)
	if lost := request(l, nil); lost != nil {
		t.Error(lost)
	}
	if lost := request(l, page); lost != nil {
		t.Errorf("a page of one that has answered: %v", lost)
	}
}
