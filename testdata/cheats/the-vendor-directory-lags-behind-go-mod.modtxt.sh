# cause: unproven
# The list names a module that nobody asked for.
go mod vendor; echo "# example.com/evil v1.0.0" >> vendor/modules.txt
