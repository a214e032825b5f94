package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"cookoff/model"
	"cookoff/sandbox"

	"github.com/sashabaranov/go-openai/jsonschema"
)

// New makes a Tool of a function. The parameters a model is told are those of
// the struct Args: a field is called by its json tag, is optional with
// omitempty, and is explained by its description tag; an enum tag lists the
// allowed texts. Arguments are decoded strictly before fn is called. It panics
// when Args is no struct that JSON can carry: a mistake in the program.
func New[Args any](name, doc string, fn func(context.Context, sandbox.Sandbox, Args) (Result, error)) Tool {
	var zero Args
	def, err := jsonschema.GenerateSchemaForType(zero)
	if err != nil || def.Type != jsonschema.Object {
		panic(fmt.Sprintf("tool %s: arguments of type %T have no schema: %v", name, zero, err))
	}
	def = inline(def, def.Defs)
	return function[Args]{spec: NewSpec(name, doc, def), def: def, fn: fn}
}

// inline writes definitions out where they are referred to: some servers can't
// follow a reference. No tool has arguments that hold themselves.
func inline(d *jsonschema.Definition, defs map[string]jsonschema.Definition) *jsonschema.Definition {
	c := *d
	if name, ok := strings.CutPrefix(c.Ref, "#/$defs/"); ok {
		described := c.Description
		if c = defs[name]; described != "" {
			c.Description = described
		}
	}
	c.Defs = nil
	if c.Items != nil {
		c.Items = inline(c.Items, defs)
	}
	if len(c.Properties) > 0 {
		c.Properties = maps.Clone(c.Properties)
		for name, p := range c.Properties {
			c.Properties[name] = *inline(&p, defs)
		}
	}
	return &c
}

// NewSpec is what a model is told of a tool whose parameters are not known
// before the program runs.
func NewSpec(name, doc string, def *jsonschema.Definition) model.ToolSpec {
	params, err := json.Marshal(def)
	if err != nil {
		panic(fmt.Sprintf("tool %s: encoding its schema: %v", name, err))
	}
	return model.ToolSpec{Name: name, Description: doc, Parameters: params}
}

type function[Args any] struct {
	spec model.ToolSpec
	def  *jsonschema.Definition
	fn   func(context.Context, sandbox.Sandbox, Args) (Result, error)
}

func (f function[Args]) Spec() model.ToolSpec { return f.spec }

func (f function[Args]) Call(ctx context.Context, sb sandbox.Sandbox, raw json.RawMessage) (Result, error) {
	var args Args
	if err := Decode(f.def, raw, &args); err != nil {
		return Result{}, err
	}
	return f.fn(ctx, sb, args)
}
