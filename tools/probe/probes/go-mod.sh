# A go.mod that does not list what the packages import.
# params:
has go && [ -f go.mod ] && [ ! -d vendor ] || exit 0
out=$(GOFLAGS=-mod=readonly GOWORK=off quiet go list -deps ./... 2>&1) && exit 0
case $out in *"no required module provides"*|*"updates to go.mod needed"*|*"not provided by any required"*|*"is replaced but not required"*) found "go.mod does not list every module that is imported" ;; esac
