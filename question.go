package cookoff

import (
	"context"
	"cookoff/report/number"
	"errors"
	"fmt"
	"strings"

	"cookoff/internal/trust"
	"cookoff/internal/ui/text"
	"cookoff/report/forecast"
)

// Question is what a person has to agree to before something is run: a
// *TrustQuestion or a *CostQuestion. Its text says what the matter is.
type Question interface{ Error() string }

// TrustQuestion asks whether a recipe from elsewhere may be run.
type TrustQuestion = trust.Question

// CostQuestion asks whether a run may cost more than the user wants to spend
// unasked.
type CostQuestion struct {
	Above    float64 // USD: confirm_above_usd of the configuration
	Forecast forecast.Forecast
}

func (q *CostQuestion) Error() string {
	return fmt.Sprintf("%s (confirm_above_usd is %s)", probably(q.Forecast), number.Money(&q.Above))
}

// Unpriced names the models whose price is not known.
func (q *CostQuestion) Unpriced() (names []string) { return unpriced(q.Forecast) }

// ErrDeclined is what comes of a question that was answered with no.
var ErrDeclined = errors.New("nothing was run")

// RefusedError is a question that nobody was there to answer.
type RefusedError struct{ Question Question }

func (e *RefusedError) Error() string { return e.Question.Error() }

// agree puts a question to whoever can answer it.
func (o *Options) agree(ctx context.Context, q Question) error {
	if o.Confirm == nil {
		return &RefusedError{q}
	}
	ok, err := o.Confirm(ctx, q)
	if err == nil && !ok {
		err = ErrDeclined
	}
	return err
}

// within reports whether a run costs no more than limit, as far as can be known.
func within(f forecast.Forecast, limit float64) bool {
	return f.Most != nil && *f.Most <= limit || f.USD != nil && f.Hi <= limit
}

// probably says what a run will cost.
func probably(f forecast.Forecast) string {
	switch {
	case f.USD != nil:
		return fmt.Sprintf("the run will probably cost %s, between %s and %s",
			number.Money(f.USD), number.Money(&f.Lo), number.Money(&f.Hi))
	case f.Most != nil:
		return fmt.Sprintf("the run may cost up to %s", number.Money(f.Most))
	}
	return text.Line(fmt.Sprintf("nobody knows what the run costs: no price of %s is known",
		strings.Join(unpriced(f), ", ")))
}

// unpriced names the models whose price is not known.
func unpriced(f forecast.Forecast) (names []string) {
	for _, m := range f.Models {
		if m.USD == nil {
			names = append(names, m.Name)
		}
	}
	return names
}

// Likely says what the run will probably cost.
func (q *CostQuestion) Likely() string { return probably(q.Forecast) }
