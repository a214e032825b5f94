package baseline

import (
	"fmt"
	"slices"

	"cookoff/model"
)

// Doctor looks before it mends: it makes the given calls that look, all in one
// step, then the calls that answer gives for the result of each, one a step.
// The calls for one finding stand together in a list; of a list it makes one
// after another until the result of one says that its fix exited 0. Calls to
// tools that are not offered are passed over. Ids are replaced.
func Doctor(looks []model.Call, answer func(look model.Call, result string) [][]model.Call) model.Chat {
	own := slices.Clone(looks)
	for i := range own {
		own[i].ID = fmt.Sprintf("look_%d", i+1)
	}
	return chatFunc(func(req *model.Request) model.Message {
		var open []model.Call
		for _, c := range own {
			if _, answered := result(req, c); !answered && offered(req.Tools, c.Name) {
				open = append(open, c)
			}
		}
		if len(open) > 0 {
			return model.Message{Calls: open}
		}
		findings, mended := 0, 0
		for _, c := range own {
			text, answered := result(req, c)
			if !answered {
				continue
			}
			for n, calls := range answer(c, text) {
				findings++
				next, done := treat(req, fmt.Sprintf("%s_%d", c.ID, n+1), calls)
				if next != nil {
					return model.Message{Calls: []model.Call{*next}}
				}
				if done {
					mended++
				}
			}
		}
		if findings == 0 {
			return says("nothing was changed: the probes find nothing that a repair answers to")
		}
		return says(fmt.Sprintf("found: %d, mended: %d", findings, mended))
	})
}

// treat gives the next call for a finding, nil when there is none; done says
// that one has worked.
func treat(req *model.Request, id string, calls []model.Call) (next *model.Call, done bool) {
	for i, c := range calls {
		c.ID = fmt.Sprintf("%s_%d", id, i+1)
		text, answered := result(req, c)
		switch {
		case answered && fixed(text):
			return nil, true
		case answered:
		case offered(req.Tools, c.Name):
			return &c, false
		}
	}
	return nil, false
}
