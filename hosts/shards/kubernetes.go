package shards

import (
	"go.yaml.in/yaml/v3"
)

// pod is one in which sandboxes open.
type pod struct{ image string }

// security lets an ordinary user open namespaces in a container, and nothing else:
// /proc that is not masked, and the calls that mount and name. No root, no capability.
func security() object {
	return object{
		"procMount": "Unmasked", "seccompProfile": object{"type": "Unconfined"},
		"appArmorProfile": object{"type": "Unconfined"}, "runAsNonRoot": true, "runAsUser": 1001, "runAsGroup": 1001,
		"allowPrivilegeEscalation": false, "capabilities": object{"drop": []string{"ALL"}},
	}
}

// needs are what a container asks for.
func needs() object {
	return object{"requests": object{"cpu": "2", "memory": "4Gi"}, "limits": object{"memory": "8Gi"}}
}

// spec is that of a pod with one container, whose other fields are more.
func (p pod) spec(more, container object) object {
	c := object{"name": "cookoff", "image": p.image, "resources": needs(), "securityContext": security()}
	for k, v := range container {
		c[k] = v
	}
	s := object{"hostUsers": false, "automountServiceAccountToken": false, "containers": []object{c}}
	for k, v := range more {
		s[k] = v
	}
	return s
}

// kubernetes is an Indexed Job. Its index counts from 0, and parts from 1.
func (j Job) kubernetes(run string) (string, error) {
	script := filled(`exec @RUN@ --shard "$((JOB_COMPLETION_INDEX+1))/@PARTS@"`, j.Parts, run)
	template := pod{j.Image}.spec(
		object{"restartPolicy": "Never", "securityContext": object{"fsGroup": 1001},
			"volumes": []object{{"name": "project", "persistentVolumeClaim": object{"claimName": j.Claim}}}},
		object{"command": []string{"/bin/sh", "-c", script}, "workingDir": "/project",
			"env":          []object{{"name": "HOME", "value": "/tmp"}},
			"envFrom":      []object{{"secretRef": object{"name": j.Keys, "optional": true}}},
			"volumeMounts": []object{{"name": "project", "mountPath": "/project"}}})
	text, err := yaml.Marshal(object{
		"apiVersion": "batch/v1", "kind": "Job", "metadata": object{"name": "cookoff"},
		"spec": object{
			"completionMode": "Indexed", "completions": j.Parts, "parallelism": j.Parts, "backoffLimitPerIndex": 1,
			"maxFailedIndexes": j.Parts, "podReplacementPolicy": "Failed", "ttlSecondsAfterFinished": 86400,
			"template": object{"spec": template},
		},
	})
	return `# Runs a comparison in parts, an index each. The volume has the project, for all nodes
# to write; afterwards, in it: cookoff report .cookoff/runs/*/
` + allowed + string(text), err
}

// allowed says what a cluster must allow for such pods.
const allowed = `# The namespace must allow privileged pods (pod-security.kubernetes.io/enforce: privileged):
# "baseline" refuses seccomp Unconfined, and /proc unmasked on older clusters. Nodes need
# Linux 6.3, containerd 2.0 or CRI-O 1.25, and Kubernetes 1.33 (hostUsers: false). Where that
# is refused, runtimeClassName: gvisor or kata, with one trial in a pod, is the way.
`

// waiting is the first process of a pod of hands, which cookoff starts beside it: it
// takes what ended processes leave.
const waiting = `trap 'exit 0' TERM; while :; do sleep 10 & wait $!; done`

// Hands are the pods of a StatefulSet in which hands are started, by kubectl exec.
func Hands(replicas int, image string) (string, error) {
	labels := object{"app": "hands"}
	spec := pod{image}.spec(object{"terminationGracePeriodSeconds": 5}, object{
		"command":      []string{"/bin/sh", "-c", waiting},
		"env":          []object{{"name": "HOME", "value": "/cache"}},
		"volumeMounts": []object{{"name": "cache", "mountPath": "/cache"}, {"name": "tmp", "mountPath": "/tmp"}}})
	spec["securityContext"] = object{"fsGroup": 1001}
	spec["volumes"] = []object{{"name": "cache", "emptyDir": object{"sizeLimit": "16Gi"}},
		{"name": "tmp", "emptyDir": object{"sizeLimit": "32Gi"}}}
	text, err := yaml.Marshal(object{
		"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": object{"name": "hands"},
		"spec": object{"serviceName": "hands", "replicas": replicas, "podManagementPolicy": "Parallel",
			"selector": object{"matchLabels": labels},
			"template": object{"metadata": object{"labels": labels}, "spec": spec}},
	})
	return `# Pods for: cookoff run --hosts kubernetes:app=hands. The image has this very cookoff, and
# the programs that tasks use.
` + allowed + string(text), err
}
