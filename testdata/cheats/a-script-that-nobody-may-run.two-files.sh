# cause: wrong_fix
# Names more than one file.
printf 'tools/ABOUT\ntools/wipe\n' > DIAGNOSIS
