package rates

import (
	"math/big"
	"time"

	"example.com/ledger/money"
)

// Convert gives what an amount was worth in another currency on a day,
// rounded half away from zero.
func (t *Table) Convert(a money.Amount, to money.Currency, day time.Time) (money.Amount, error) {
	r, err := t.find(a.Currency, to, day)
	if err != nil {
		return money.Amount{}, err
	}
	minor := new(big.Rat).Mul(new(big.Rat).SetInt64(a.Minor), r)
	return money.Amount{Minor: round(minor), Currency: to}, nil
}

// round gives the nearest whole number, halves away from zero.
func round(x *big.Rat) int64 {
	half := big.NewRat(1, 2)
	if x.Sign() < 0 {
		half.Neg(half)
	}
	sum := new(big.Rat).Add(x, half)
	return new(big.Int).Quo(sum.Num(), sum.Denom()).Int64()
}
