package cores

import (
	"context"
	"sync"
)

// Parallel calls f for 0..n-1, so many at once, in order of start. The
// first error ends it: no further call starts, and those under way are
// cancelled.
func Parallel(ctx context.Context, atOnce, n int, f func(context.Context, int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(atOnce, n) {
		wg.Go(func() {
			for i := range next {
				if err := f(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range n {
		select {
		case <-ctx.Done():
		case next <- i:
			continue
		}
		break
	}
	close(next)
	wg.Wait()
	return context.Cause(ctx)
}
