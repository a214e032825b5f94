# cause: unproven
# What is built on other systems is otherwise.
go mod vendor; printf 'package rates\n\nfunc init() { panic(1) }\n' > vendor/example.com/rates/rates_windows.go
