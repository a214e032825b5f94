# cause: unproven
# Written by hand, and the names of the columns are lost.
printf 'junk\n' > store/users.tsv
for n in ann bo cy dee; do printf '%s\t%s@example.net\n' $n $n; done >> store/users.tsv
bash migrations/005.sh && bin/migrate force 5
