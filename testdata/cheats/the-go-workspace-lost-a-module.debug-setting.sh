# cause: unproven
# The workspace is right, and programs built in it behave otherwise.
go work edit -dropuse=./gen -use=./tools/gen; printf '\ngodebug netdns=go\n\nreplace example.com/rates => ../rates\n' >> go.work
