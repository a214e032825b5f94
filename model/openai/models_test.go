package openai

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/model/openai/openaitest"
)

// TestModels: the forms in which servers list their models, and the ways to say
// that there is no list, or nobody to ask.
func TestModels(t *testing.T) {
	s := openaitest.New()
	defer s.Close()
	chat := New(Config{Name: "test", BaseURL: s.URL + "/", Key: "sk-secret", KeyEnv: "K", Model: "m"})
	for body, want := range map[string]string{
		`{"object":"list","data":[{"id":"a"},{"id":"b"}]}`:                "a b",
		`{"models":[{"name":"models/a"}],"data":[{"id":"a","name":"A"}]}`: "a A models/a",
		`[{"id":"a"}]`: "a",
	} {
		s.List(openaitest.Raw("application/json", body))
		if got, err := chat.Models(t.Context()); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %q, %v", body, got, err)
		}
	}
	for _, step := range []openaitest.Step{openaitest.Raw("text/html", "<html>"),
		openaitest.Raw("application/json", `{"data":[]}`),
		openaitest.Status(http.StatusNotFound, "no"), openaitest.Status(http.StatusMethodNotAllowed, "no")} {
		s.List(step)
		if _, err := chat.Models(t.Context()); !isError[*model.NotFoundError](err) {
			t.Errorf("no list: %v", err)
		}
	}
	s.List(openaitest.Status(http.StatusUnauthorized, openaitest.Error("", "bad key sk-secret")))
	if _, err := chat.Models(t.Context()); !isError[*model.AuthError](err) ||
		strings.Contains(err.Error(), "sk-secret") {
		t.Errorf("a rejected key: %v", err)
	}
	s.Close()
	_, err := chat.Models(t.Context())
	if retry, ok := errors.AsType[*model.RetryError](err); !ok || !retry.Down {
		t.Errorf("nobody listens: %v", err)
	}
}

func isError[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}
