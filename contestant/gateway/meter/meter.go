package meter

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"

	"cookoff/contestant/gateway/document"
	"cookoff/model"
	"cookoff/model/wire"
	"cookoff/model/wire/chat"
	"cookoff/model/wire/messages"
	"cookoff/model/wire/responses"
)

// Meter reads what a reply took from the lines that pass by.
type Meter struct {
	Dialect wire.Dialect
	chat    *chat.Usage
	resp    *responses.Usage
	msg     messages.Usage
	gemini  *geminiUsage

	Served  string
	Ended   bool   // the provider said that the reply is whole
	Final   bool   // it told the usage of all that it wrote
	Failed  string // the provider said in the reply that it failed
	Failure []byte // how it said so
	Bytes   int    // of lines that carry what the model wrote, about
	Lines   int
}

// Usage is what the reply took; not Known where nobody told.
func (m *Meter) Usage() model.Usage {
	switch m.Dialect {
	case wire.Chat:
		return m.chat.Record()
	case wire.Responses:
		return m.resp.Record()
	case wire.Messages:
		return m.msg.Record()
	}
	return m.gemini.record()
}

// geminiUsage is Gemini's usageMetadata. Thoughts are not among the candidates'.
type geminiUsage struct {
	Prompt     int `json:"promptTokenCount"`
	ToolUse    int `json:"toolUsePromptTokenCount"`
	Candidates int `json:"candidatesTokenCount"`
	Cached     int `json:"cachedContentTokenCount"`
	Thoughts   int `json:"thoughtsTokenCount"`

	unread bool // it has another form
}

// UnmarshalJSON reads what Gemini says. What has another form, as "many" or
// 12.5 in the place of a number, makes the usage unknown, and breaks no reply.
func (u *geminiUsage) UnmarshalJSON(raw []byte) error {
	type plain geminiUsage
	var p plain
	if json.Unmarshal(raw, &p) != nil {
		p = plain{unread: true}
	}
	*u = geminiUsage(p)
	return nil
}

func (u *geminiUsage) record() model.Usage {
	if u == nil || u.unread || u.Prompt <= 0 {
		return model.Usage{}
	}
	out := model.Usage{Input: u.Prompt + u.ToolUse, Output: u.Candidates + u.Thoughts, Cached: u.Cached,
		Reasoning: u.Thoughts, Known: true}
	if !out.Plausible() {
		return model.Usage{}
	}
	return out
}

// seen is what is read of a reply, or of one event of a stream, in any dialect.
type seen struct {
	Type    string          `json:"type"`
	Model   string          `json:"model"`
	Error   json.RawMessage `json:"error"`
	Usage   json.RawMessage `json:"usage"`
	Choices []struct {
		Finish string `json:"finish_reason"`
	} `json:"choices"`
	Message  *inner          `json:"message"`  // Messages: of message_start
	Delta    json.RawMessage `json:"delta"`    // Messages: of message_delta
	Response *inner          `json:"response"` // Responses

	Stop         string       `json:"stop_reason"`
	Status       string       `json:"status"`
	Metadata     *geminiUsage `json:"usageMetadata"`
	ModelVersion string       `json:"modelVersion"`
	Candidates   []struct {
		Finish string `json:"finishReason"`
	} `json:"candidates"`
}

// delta is what a message_delta of Messages changes.
type delta struct {
	Stop string `json:"stop_reason"`
}

type inner struct {
	Model  string          `json:"model"`
	Usage  json.RawMessage `json:"usage"`
	Status string          `json:"status"`
	Error  json.RawMessage `json:"error"`
}

// The marks of lines that tell the meter something. They hold quotes, so that
// no text of the model looks like one: there they are escaped.
var marks = map[wire.Dialect][][]byte{
	wire.Chat: {[]byte(`"usage"`), []byte(`"finish_reason":"`), []byte(`"finish_reason": "`), []byte(`"error"`)},
	wire.Responses: {[]byte(`"response.completed"`), []byte(`"response.failed"`), []byte(`"response.incomplete"`),
		[]byte(`"error"`)},
	wire.Messages: {[]byte(`"message_`), []byte(`"error"`)},
	wire.Gemini:   {[]byte(`"usageMetadata"`), []byte(`"finishReason"`), []byte(`"error"`)},
}

var modelMark = []byte(`"model`) // also modelVersion

// Line reads one line of an event stream.
func (m *Meter) Line(line []byte) {
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	if !ok {
		return
	}
	m.Lines++
	m.Bytes += len(data)
	if !m.Telling(data) {
		return
	}
	data = bytes.TrimSpace(data)
	if string(data) == "[DONE]" {
		m.Ended = true
		return
	}
	m.Read(data)
}

// Count takes lines that tell nothing else than that they came.
func (m *Meter) Count(text []byte) {
	m.Lines += bytes.Count(text, dataMark)
	m.Bytes += len(text)
}

var dataMark = []byte("\ndata:") // the first line of a stream may be left out

// Telling reports whether lines may say something that is counted.
func (m *Meter) Telling(data []byte) bool {
	if m.Served == "" && bytes.Contains(data, modelMark) {
		return true
	}
	for _, mark := range marks[m.Dialect] {
		if bytes.Contains(data, mark) {
			return true
		}
	}
	return m.Dialect == wire.Chat && bytes.Contains(data, []byte("[DONE]"))
}

// Read takes an event of a stream, or a reply in one piece.
func (m *Meter) Read(data []byte) {
	var s seen
	var other *json.UnmarshalTypeError // a part of another form says nothing
	if err := json.Unmarshal(data, &s); err != nil && !errors.As(err, &other) {
		return
	}
	if s.Model != "" && m.Served == "" {
		m.Served = s.Model
	}
	if len(s.Error) > 0 && string(s.Error) != "null" && (m.Dialect == wire.Chat || m.Dialect == wire.Gemini) {
		m.fail(data)
	}
	switch m.Dialect {
	case wire.Chat:
		m.readChat(&s)
	case wire.Responses:
		m.readResponses(&s, data)
	case wire.Messages:
		m.readMessages(&s, data)
	case wire.Gemini:
		m.readGemini(&s)
	}
}

func (m *Meter) readChat(s *seen) {
	for _, c := range s.Choices {
		m.Ended = m.Ended || c.Finish != ""
	}
	if u := decoded[chat.Usage](s.Usage); u.Told() {
		m.chat = u
		m.Final = m.Ended // some tell it all along
	}
}

func (m *Meter) readResponses(s *seen, data []byte) {
	in := &inner{Usage: s.Usage, Status: s.Status, Error: s.Error} // of a reply in one piece
	if s.Type != "" {
		if in = s.Response; s.Type == "error" {
			m.fail(data)
		}
	}
	if in == nil {
		return
	}
	if m.Served == "" {
		m.Served = in.Model
	}
	if u := decoded[responses.Usage](in.Usage); u != nil {
		m.resp = u
	}
	switch {
	case s.Type == "response.failed" || in.Status == "failed":
		m.fail(append(append([]byte(`{"error":`), cmp.Or(string(in.Error), "null")...), '}'))
	case s.Type == "response.completed" || s.Type == "response.incomplete", s.Type == "" && in.Status != "":
		m.Ended, m.Final = true, m.resp != nil
	}
}

func (m *Meter) readMessages(s *seen, data []byte) {
	switch s.Type {
	case "message_start":
		if s.Message != nil {
			m.msg.Merge(decoded[messages.Usage](s.Message.Usage))
			if m.Served == "" {
				m.Served = s.Message.Model
			}
		}
	case "message":
		m.msg.Merge(decoded[messages.Usage](s.Usage))
		m.Ended, m.Final = true, true
	case "message_delta":
		u := decoded[messages.Usage](s.Usage)
		m.msg.Merge(u)
		if d := decoded[delta](s.Delta); d != nil && d.Stop != "" {
			m.Final = u != nil && u.OutputTokens != nil
		}
	case "message_stop":
		m.Ended = true
	case "error":
		m.fail(data)
	}
}

func (m *Meter) readGemini(s *seen) {
	if m.Served == "" {
		m.Served = s.ModelVersion
	}
	for _, c := range s.Candidates {
		m.Ended = m.Ended || c.Finish != ""
	}
	if s.Metadata != nil {
		m.gemini = s.Metadata
		m.Final = m.Ended // it is told all along
	}
}

// fail notes that the provider said that it failed.
func (m *Meter) fail(data []byte) {
	m.Failed, m.Failure = cmp.Or(ErrorText(data), "no reason given"), bytes.Clone(data)
}

func decoded[T any](raw json.RawMessage) *T {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var v T
	if json.Unmarshal(raw, &v) != nil {
		return nil
	}
	return &v
}

// ErrorText finds the words of an error in the forms that providers give them.
func ErrorText(body []byte) string {
	var b struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
	}
	var e struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(body, &b) == nil {
		var text string
		switch {
		case json.Unmarshal(b.Error, &e) == nil && e.Message != "":
			return e.Message
		case json.Unmarshal(b.Error, &text) == nil && text != "":
			return text
		case b.Message != "":
			return b.Message
		}
	}
	return document.Short(string(body))
}
