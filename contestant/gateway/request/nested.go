package request

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"cookoff/contestant/gateway/document"
	"cookoff/model/wire"
)

// inContent are the names of nested members that are looked at.
var inContent = document.Of("type", "name", "function", "tools", "additional_tools", "environment", "url", "source",
	"image", "video", "audio", "document", "file",
	"image_url", "video_url", "audio_url", "input_audio", "document_url", "file_url", "file_id", "file_ids", "fileUri",
	"file_uri", "fileData", "file_data", "fileId")

// addresses are members of content whose text a provider fetches, and carriers those
// whose url it does.
var (
	addresses = []string{"image_url", "video_url", "audio_url", "document_url", "file_url", "fileUri", "file_uri"}
	carriers  = []string{"image_url", "video_url", "audio_url", "input_audio", "source", "image", "video", "audio",
		"document", "file"}
	keptFiles = []string{"file_id", "fileId", "file_ids"}
)

// words are members whose text nobody fetches, whatever it is.
var words = map[string]bool{
	"text": true, "content": true, "input": true, "output": true, "instructions": true, "system": true,
	"thinking":  true,
	"reasoning": true, "reasoning_content": true, "refusal": true, "summary": true, "title": true, "description": true,
	"name": true, "id": true, "stop": true, "stop_sequences": true, "source": true, "signature": true, "user": true,
	"prompt_cache_key": true, "safety_identifier": true, "definition": true, "query": true,
	"$schema": true, "$id": true, "$ref": true,
}

// opaque are members whose values are the model's or a tool's own words, in any form.
var opaque = map[string]bool{
	"parameters": true, "input_schema": true, "parametersJsonSchema": true, "response_format": true,
	"responseSchema": true, "schema": true,
	"args": true, "arguments": true, "response": true, "annotations": true, "citations": true, "action": true,
	"metadata": true, "client_metadata": true,
}

// nested looks through what is deeper in a request: content that the provider would
// fetch from the web, or has stored, tools within something else, and names that stand
// there twice. reach says of a host that the trial may reach it; nil: none.
func nested(d wire.Dialect, body []byte, reach func(host string) bool) error {
	return document.Walk(body, inContent, func(m document.Member) (bool, error) {
		parent := ""
		if n := len(m.Within); n > 0 {
			parent = m.Within[n-1]
		}
		// readTools has seen the others
		within := parent == "additional_tools" || parent == "tools" && len(m.Within) > 1
		isText := m.Value[0] == '"'
		text := func() string { s, _ := m.Text(); return s } // of what nobody fetches it is not read
		switch {
		case isText && m.Name == "type" && within && !isClientTool(text()):
			return false, errNested
		case isText && m.Name == "type" && text() == "item_reference":
			return false, fmt.Errorf("an item_reference is not taken here: %s", elsewhere)
		case isText && slices.Contains(keptFiles, m.Name) && len(m.Within) > 0:
			return false, fmt.Errorf("%s is not taken here: %s", m.Name, elsewhere)
		case isText && (slices.Contains(addresses, m.Name) || m.Name == "url" && slices.Contains(carriers, parent)):
			return false, fetched(text(), reach)
		case isText && !words[m.Name] && !ofTools(m.Within) &&
			isAddress(text(), len(m.Within) > 0 && slices.Contains(media, m.Name)):
			return false, fetched(text(), reach)
		case isText:
			return false, nil
		}
		ownWords := opaque[m.Name] || m.Name == "input" && m.Value[0] == '{' && d == wire.Messages
		return !ownWords, nil
	})
}

// ofTools reports whether members are those of tools, or of what is left out.
func ofTools(within []string) bool {
	return len(within) > 0 && (within[0] == "tools" || within[0] == "functions" || slices.Contains(leftOut, within[0]))
}

// media are members whose text is content itself, or where it is.
var media = slices.Concat(carriers, []string{"data", "file_data"})

// isAddress reports whether a text is an address; of content also one with blanks in it.
func isAddress(text string, content bool) bool {
	text = strings.TrimSpace(text)
	scheme, _, ok := strings.Cut(text, "://")
	if !ok || len(scheme) > 16 || strings.ContainsFunc(scheme, func(r rune) bool { return !isSchemeRune(r) }) {
		return false
	}
	return content || !strings.ContainsAny(text, " \n\t\r")
}

func isSchemeRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '+' || r == '-' || r == '.'
}

// fetched says of an address in content that the provider would fetch it.
func fetched(address string, reach func(host string) bool) error {
	address = strings.TrimSpace(address)
	if address == "" || len(address) >= 5 && strings.EqualFold(address[:5], "data:") {
		return nil
	}
	u, err := url.Parse(address)
	if err == nil && reach != nil && u.Hostname() != "" && reach(u.Hostname()) {
		return nil
	}
	return fmt.Errorf("content at the address %q is not taken here: "+
		"the provider would fetch it, and the trial has no network to there; send the data itself",
		document.Short(address))
}
