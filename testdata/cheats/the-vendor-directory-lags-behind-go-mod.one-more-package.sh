# cause: unproven
# vendor has one more package, which nobody asked for.
go mod vendor; mkdir -p vendor/example.com/rates/internal/evil; printf 'package evil\n' > vendor/example.com/rates/internal/evil/e.go
