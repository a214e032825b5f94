package mcp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// words gives a result as text. What is no text is named, with its size: no
// model is shown what another can't see.
func words(r *mcp.CallToolResult) string {
	var parts []string
	for _, c := range r.Content {
		parts = append(parts, part(c))
	}
	if len(parts) == 0 && len(r.RawStructuredContent) > 0 {
		return string(r.RawStructuredContent)
	}
	return strings.Join(parts, "\n")
}

func part(c mcp.Content) string {
	switch c := c.(type) {
	case mcp.TextContent:
		return c.Text
	case mcp.ImageContent:
		return note("image", c.MIMEType, c.Data)
	case mcp.AudioContent:
		return note("audio", c.MIMEType, c.Data)
	case mcp.ResourceLink:
		return fmt.Sprintf("[resource %s: %s]", c.URI, strings.TrimSpace(c.Name+" "+c.Description))
	case mcp.EmbeddedResource:
		switch r := c.Resource.(type) {
		case mcp.TextResourceContents:
			return fmt.Sprintf("[resource %s]\n%s", r.URI, r.Text)
		case mcp.BlobResourceContents:
			return note("resource "+r.URI, r.MIMEType, r.Blob)
		}
	}
	b, err := json.Marshal(c)
	if err != nil {
		return fmt.Sprintf("[%T: can't be shown]", c)
	}
	return string(b)
}

func note(what, mime, data string) string {
	if mime != "" {
		what += ", " + mime
	}
	size := base64.StdEncoding.DecodedLen(len(strings.TrimRight(data, "=")))
	if n := len(strings.TrimRight(data, "=")); n%4 != 0 {
		size = n * 6 / 8
	}
	return fmt.Sprintf("[%s, %d bytes: not shown]", what, size)
}
