package sdks

import (
	"context"
	"encoding/json"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	openaioption "github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"cookoff/model"
)

// read is what a client understood of a reply.
type read struct {
	Text   string
	Calls  []model.Call
	Usage  model.Usage
	Served string
	Ends   bool // by itself, or for its calls: nothing cut it off
}

// oracle is an official SDK as one more client of a server.
type oracle struct {
	asks   func(ctx context.Context, at access, stream bool) (read, error)
	models func(ctx context.Context, at access) ([]string, error)
}

// access is where a server is, and what it takes for a key.
type access struct {
	base  string // up to and with /v1
	key   string
	tries int // of a request that fails, beyond the first
}

const asked = "claude-or-gpt"

// tool is what each oracle offers.
var tool = map[string]any{"type": "object", "properties": map[string]any{"command": map[string]any{"type": "string"}}}

func openaiClient(at access) openai.Client {
	return openai.NewClient(openaioption.WithBaseURL(at.base), openaioption.WithAPIKey(at.key),
		openaioption.WithMaxRetries(at.tries))
}

func openaiModels(ctx context.Context, at access) (names []string, err error) {
	client := openaiClient(at)
	page, err := client.Models.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range page.Data {
		names = append(names, m.ID)
	}
	return names, nil
}

var oracles = map[string]oracle{
	"chat":      {chat, openaiModels},
	"responses": {response, openaiModels},
	"messages":  {message, anthropicModels},
}

func chat(ctx context.Context, at access, stream bool) (read, error) {
	client := openaiClient(at)
	params := openai.ChatCompletionNewParams{Model: asked,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage("Be good."),
			openai.UserMessage("mend it")},
		Tools: []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: "bash", Description: openai.String("runs"), Parameters: tool})}}
	if !stream {
		reply, err := client.Chat.Completions.New(ctx, params)
		if err != nil {
			return read{}, err
		}
		return ofChat(*reply), nil
	}
	params.StreamOptions.IncludeUsage = openai.Bool(true)
	events := client.Chat.Completions.NewStreaming(ctx, params)
	defer events.Close()
	all := openai.ChatCompletionAccumulator{}
	for events.Next() {
		all.AddChunk(events.Current())
	}
	return ofChat(all.ChatCompletion), events.Err()
}

func ofChat(c openai.ChatCompletion) read {
	r := read{Served: c.Model, Usage: model.Usage{Input: int(c.Usage.PromptTokens),
		Output: int(c.Usage.CompletionTokens), Cached: int(c.Usage.PromptTokensDetails.CachedTokens),
		Reasoning: int(c.Usage.CompletionTokensDetails.ReasoningTokens),
		Known:     c.JSON.Usage.Valid() || c.Usage.TotalTokens > 0}}
	for _, choice := range c.Choices {
		r.Text += choice.Message.Content
		r.Ends = choice.FinishReason == "stop" || choice.FinishReason == "tool_calls"
		for _, call := range choice.Message.ToolCalls {
			r.Calls = append(r.Calls, model.Call{ID: call.ID, Name: call.Function.Name,
				Arguments: call.Function.Arguments})
		}
	}
	return r
}

func response(ctx context.Context, at access, stream bool) (read, error) {
	client := openaiClient(at)
	params := responses.ResponseNewParams{Model: asked, Instructions: openai.String("Be good."),
		Store: openai.Bool(false), Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("mend it")},
		Tools: []responses.ToolUnionParam{responses.ToolParamOfFunction("bash", tool, false)}}
	if !stream {
		reply, err := client.Responses.New(ctx, params)
		if err != nil {
			return read{}, err
		}
		return ofResponse(*reply), nil
	}
	events := client.Responses.NewStreaming(ctx, params)
	defer events.Close()
	var last responses.Response
	for events.Next() {
		switch e := events.Current(); e.Type {
		case "response.completed", "response.incomplete", "response.failed":
			last = e.Response
		}
	}
	return ofResponse(last), events.Err()
}

func ofResponse(p responses.Response) read {
	r := read{Text: p.OutputText(), Served: string(p.Model), Ends: p.Status == "completed",
		Usage: model.Usage{Input: int(p.Usage.InputTokens), Output: int(p.Usage.OutputTokens),
			Cached:    int(p.Usage.InputTokensDetails.CachedTokens),
			Reasoning: int(p.Usage.OutputTokensDetails.ReasoningTokens), Known: p.JSON.Usage.Valid()}}
	for _, item := range p.Output {
		if item.Type == "function_call" {
			call := item.AsFunctionCall()
			r.Calls = append(r.Calls, model.Call{ID: call.CallID, Name: call.Name, Arguments: call.Arguments})
		}
	}
	return r
}

func anthropicClient(at access) anthropic.Client {
	return anthropic.NewClient(anthropicoption.WithBaseURL(trimmed(at.base)), anthropicoption.WithAPIKey(at.key),
		anthropicoption.WithMaxRetries(at.tries))
}

// trimmed is a base without the version, which Anthropic's SDK adds.
func trimmed(base string) string { return base[:len(base)-len("v1")] }

func messageParams() anthropic.MessageNewParams {
	return anthropic.MessageNewParams{Model: asked,
		MaxTokens: 1000, System: []anthropic.TextBlockParam{{Text: "Be good."}},
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("mend it"))},
		Tools: []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{Name: "bash",
			InputSchema: anthropic.ToolInputSchemaParam{Properties: tool["properties"]}}}}}
}

func message(ctx context.Context, at access, stream bool) (read, error) {
	client := anthropicClient(at)
	if !stream {
		reply, err := client.Messages.New(ctx, messageParams())
		if err != nil {
			return read{}, err
		}
		return ofMessage(*reply), nil
	}
	events := client.Messages.NewStreaming(ctx, messageParams())
	defer events.Close()
	var all anthropic.Message
	for events.Next() {
		if err := all.Accumulate(events.Current()); err != nil {
			return read{}, err
		}
	}
	return ofMessage(all), events.Err()
}

func ofMessage(m anthropic.Message) read {
	u := m.Usage
	r := read{Served: string(m.Model), Ends: m.StopReason == "end_turn" || m.StopReason == "tool_use",
		Usage: model.Usage{Input: int(u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens),
			Output: int(u.OutputTokens), Cached: int(u.CacheReadInputTokens), Known: u.InputTokens+u.OutputTokens > 0}}
	for _, block := range m.Content {
		switch b := block.AsAny().(type) {
		case anthropic.TextBlock:
			r.Text += b.Text
		case anthropic.ToolUseBlock:
			r.Calls = append(r.Calls, model.Call{ID: b.ID, Name: b.Name, Arguments: string(json.RawMessage(b.Input))})
		}
	}
	return r
}

func anthropicModels(ctx context.Context, at access) (names []string, err error) {
	client := anthropicClient(at)
	page, err := client.Models.List(ctx, anthropic.ModelListParams{})
	if err != nil {
		return nil, err
	}
	for _, m := range page.Data {
		names = append(names, m.ID)
	}
	return names, nil
}
