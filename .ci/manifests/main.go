// Command manifests reads what cookoff writes for Kubernetes as the API's own types do:
// strictly. Each argument is a file with one object.
package main

import (
	"fmt"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

func main() {
	bad := false
	for _, name := range os.Args[1:] {
		if err := read(name); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			bad = true
		}
	}
	if bad {
		os.Exit(1)
	}
}

func read(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var kind metav1.TypeMeta
	if err := yaml.Unmarshal(text, &kind); err != nil {
		return err
	}
	into := map[string]any{
		"batch/v1 Job":        &batchv1.Job{},
		"apps/v1 StatefulSet": &appsv1.StatefulSet{},
	}[kind.APIVersion+" "+kind.Kind]
	if into == nil {
		return fmt.Errorf("it is a %s %s", kind.APIVersion, kind.Kind)
	}
	return yaml.UnmarshalStrict(text, into)
}
