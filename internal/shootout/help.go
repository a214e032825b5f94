package shootout

import (
	"cookoff/internal/ui/live/draw"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
)

// keysPage says what keys do, one a line.
func keysPage(title string, keys []draw.Key) *overlay {
	return painted(title, func(s screen.Stream, width int) (out []string) {
		for _, k := range keys {
			out = append(out, text.Cut("  "+text.Fit(k.Key, 12)+" "+k.Does, width))
		}
		return out
	})
}

// pageHelp says what keys do on a page, which comes back after it.
func pageHelp(of *overlay) *overlay {
	keys := append([]draw.Key{}, of.allKeys()...)
	keys = append(keys, draw.Key{Key: "pgup pgdn", Does: "a screen up, down"},
		draw.Key{Key: "g G", Does: "first line, last line"})
	o := keysPage("keys of this page", keys)
	o.back = of
	return o
}

// promptHelp says what keys do while a task is typed.
func (a *App) promptHelp() *overlay {
	keys := append(a.promptKeys(), draw.Key{Key: "tab", Does: "takes what is offered"},
		draw.Key{Key: "^c", Does: "stops all models, twice leaves"},
		draw.Key{Key: "^d", Does: "leaves"}, draw.Key{Key: "/help", Does: "lists the commands"})
	return keysPage("keys while a task is typed", keys)
}
