# A vendor directory that lags behind go.mod.
# params:
has go && [ -f go.mod ] && [ -f vendor/modules.txt ] || exit 0
out=$(GOFLAGS=-mod=vendor GOWORK=off quiet go list ./... 2>&1)
case $out in *"inconsistent vendoring"*) found "vendor/modules.txt and go.mod disagree" ;; esac
