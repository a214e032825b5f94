package openai

import (
	"testing"

	"cookoff/model"
	"cookoff/model/openai/openaitest"
)

// A request's key goes where the provider looks for it, and nowhere else.
func TestTheKeyOfARequest(t *testing.T) {
	for _, header := range []string{"Idempotency-Key", ""} {
		s := openaitest.New(openaitest.Text("ok"))
		defer s.Close()
		c := New(Config{Name: "test", BaseURL: s.URL, Model: "m", KeyHeader: header})
		if _, err := c.Generate(t.Context(), &model.Request{Messages: []model.Message{{Role: model.User, Content: "x"}},
			Key: "one"}); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"Idempotency-Key": "one"}[header]
		if got := s.Requests()[0].Header.Get("Idempotency-Key"); got != want {
			t.Errorf("header %q: %q, want %q", header, got, want)
		}
	}
}
