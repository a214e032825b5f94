# cause: wrong_fix
# The workspace loads again, without the module that the app needs.
go work edit -dropuse=./gen
