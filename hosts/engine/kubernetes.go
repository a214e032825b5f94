package engine

import (
	"context"
	"strings"

	"cookoff/internal/hint"
)

// pods are those that run and that a selector picks.
func (e *Engine) pods(ctx context.Context, selector string) (out []Place, err error) {
	said, err := e.output(ctx, "kubectl", "get", "pods", "--selector="+selector,
		"--field-selector=status.phase=Running", "--output=name")
	if err != nil {
		return nil, err
	}
	for _, line := range strings.Fields(said) {
		pod := strings.TrimPrefix(line, "pod/")
		out = append(out, Place{pod, append([]string{"kubectl", "exec", "--stdin", pod, "--"}, e.hand()...)})
	}
	if len(out) == 0 {
		return nil, hint.New("cookoff hosts manifest writes pods of hands; "+
			"kubectl get pods --selector="+selector+" shows what there is",
			"no pod runs that %q picks", selector)
	}
	return out, nil
}
