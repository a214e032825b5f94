# outcome: pass
# Each step run by hand, and the schema stamped at the end.
cp store/before-004.tsv store/users.tsv && bash migrations/004.sh && bash migrations/005.sh && bin/migrate force 5
