package remake

import (
	"testing"
	"time"

	"cookoff/sandbox"
)

// TestAfterStart: what was left is newer than the start that was staged anew, in its order; what
// somebody dated back or ahead stays so.
func TestAfterStart(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	at := func(before time.Duration) sandbox.Item { return sandbox.Item{Time: now.Add(-before)} }
	items := []sandbox.Item{at(time.Hour), at(2 * time.Hour), at(72 * time.Hour), {Gone: true}, at(time.Hour)}
	afterStart(items, now)
	built, mended, old := items[0].Time, items[1].Time, items[2].Time
	if !mended.After(now) || !built.After(mended) || !items[4].Time.Equal(built) {
		t.Errorf("mended %v, built %v, start %v", mended, built, now)
	}
	if !old.Equal(now.Add(-72*time.Hour)) || !items[3].Time.IsZero() {
		t.Errorf("dated back: %v; gone: %v", old, items[3].Time)
	}
	ahead := []sandbox.Item{at(-time.Hour)}
	if afterStart(ahead, now); !ahead[0].Time.Equal(now.Add(time.Hour)) {
		t.Errorf("dated ahead: %v", ahead[0].Time)
	}
}
