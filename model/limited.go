package model

import (
	"context"
	"time"
)

// beyond is the key of what a context was before its time was limited.
type beyond struct{}

// Limited gives a context that ends after d, when the time that a model has is over. A Chat
// may look beyond it, by Unlimited, only for whether a reply under way goes on at all.
func Limited(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithValue(ctx, beyond{}, ctx), d)
}

// Unlimited is what a context was before Limited, which a caller who leaves still ends; the
// context itself where nobody limited it.
func Unlimited(ctx context.Context) context.Context {
	if before, ok := ctx.Value(beyond{}).(context.Context); ok {
		return before
	}
	return ctx
}
