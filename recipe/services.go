package recipe

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"cookoff/internal/pattern"
	"cookoff/recipe/dialect"
	"cookoff/recipe/source"

	"github.com/yuin/goldmark/ast"
)

// Service is a program that runs in a task's worlds beside whoever works there.
type Service struct {
	Name    string
	Command string        // script; it ends when the service does
	Ready   string        // script that exits 0 once the service answers
	Down    bool          // it is not ready at the start: that is to be mended
	Timeout time.Duration // until it is ready; 0: thirty seconds
	Env     []string      // NAME=VALUE, for both scripts
}

// maxServices bounds the services of one task.
const maxServices = 8

var serviceName = pattern.New(`^[a-z][a-z0-9-]{0,30}$`)

// serviceWords says what may follow the name of a service.
const serviceWords = "allowed behind sh service NAME are down, timeout=10s and NAME=value; behind sh ready NAME nothing"

// serviceFence reads "sh service NAME …" or "sh ready NAME".
func (p *taskReader) serviceFence(tb *taskBlock, f *ast.FencedCodeBlock) {
	info := p.Info(f)
	words := strings.Fields(info.Text)
	role := words[1]
	if len(words) < 3 || !serviceName.MatchString(words[2]) {
		p.Problem(info.Off, "write ```sh "+role+" web, and the service's other fence with the same name",
			"a %s fence needs the name of a service: lower case letters, digits and -", role)
		return
	}
	s := tb.service(words[2])
	if s == nil {
		p.Problem(info.Off, "", "more than %d services in task %q", maxServices, tb.task.Title)
		return
	}
	i := slices.IndexFunc(tb.task.Services, func(o Service) bool { return o.Name == s.Name })
	body := p.Fence(f)
	if role == "ready" {
		switch {
		case len(words) > 3:
			p.Problem(info.Off, serviceWords, "unexpected %q in the fence's info %q", words[3], info.Text)
		case s.Ready != "":
			p.Problem(info.Off, "put both into one fence", "service %q has two ready fences", s.Name)
		}
		if s.Ready == "" {
			s.Ready = body
			p.Note(source.Slot{At: source.At(tb.at+".services", i), Name: "ready"}, -1, p.NextLine(f.Pos()))
		}
		return
	}
	if s.Command != "" {
		p.Problem(info.Off, "give each a name of its own", "two services are called %q", s.Name)
		return
	}
	s.Command = body
	p.Note(source.Slot{At: tb.at, Name: "services"}, i, p.NextLine(f.Pos()))
	p.serviceSettings(info, words[3:], s)
}

// service gives the service of a name, which is made where there is none; nil: there
// are too many.
func (tb *taskBlock) service(name string) *Service {
	i := slices.IndexFunc(tb.task.Services, func(o Service) bool { return o.Name == name })
	if i < 0 && len(tb.task.Services) == maxServices {
		return nil
	}
	if i < 0 {
		tb.task.Services = append(tb.task.Services, Service{Name: name})
		i = len(tb.task.Services) - 1
	}
	return &tb.task.Services[i]
}

// serviceSettings reads the words behind the name of a service.
func (p *taskReader) serviceSettings(info source.Span, words []string, s *Service) {
	for _, word := range words {
		name, value, set := strings.Cut(word, "=")
		at := info
		if i := strings.LastIndex(info.Text, word); i >= 0 {
			at = info.Slice(i, i+len(word))
		}
		switch {
		case word == "down" && !s.Down:
			s.Down = true
		case name == "timeout" && set && s.Timeout == 0:
			before := len(p.Problems)
			s.Timeout = p.Duration(at.Slice(len("timeout="), len(word)), "timeout")
			if len(p.Problems) == before && s.Timeout < time.Second {
				p.Problem(at.Off, "leave it out for thirty seconds", "timeout: a service has a second at least")
			}
		case set && dialect.EnvName.MatchString(name):
			if dialect.EnvEntry(p.Reader, at, s.Env) {
				s.Env = append(s.Env, name+"="+value)
			}
		default:
			p.Problem(at.Off, serviceWords, "unexpected %q in the fence's info %q", word, info.Text)
		}
	}
}

// wholeServices demands both fences of every service.
func (p *taskReader) wholeServices(t *Task, off int) {
	for _, s := range t.Services {
		switch {
		case s.Command == "":
			p.Problem(off, "write ```sh service "+s.Name, "task %q says when %q is ready, and has no such service",
				t.Title, s.Name)
		case s.Ready == "":
			p.Problem(off, "write ```sh ready "+s.Name+" with a command that exits 0 once it answers",
				"service %q of task %q says not when it is ready", s.Name, t.Title)
		}
	}
}

// services writes the fences of services.
func (w *writing) services(list []Service) {
	for _, s := range list {
		info := "sh service " + s.Name
		if s.Down {
			info += " down"
		}
		if s.Timeout != 0 {
			info += " timeout=" + dialect.FormatDuration(s.Timeout)
		}
		for _, e := range s.Env {
			info += " " + e
		}
		if s.Command != "" {
			w.fence(info, s.Command)
		}
		if s.Ready != "" {
			w.fence(fmt.Sprintf("sh ready %s", s.Name), s.Ready)
		}
	}
}
