# outcome: pass
# All of the store is copied first, forcing the number without data is tried and undone, then it is done right.
bin/migrate status; bin/migrate up; head store/*; cp -a store /tmp/store.bak
bin/migrate force 4; bin/migrate up; wc -l store/users.tsv; rm -rf store && cp -a /tmp/store.bak store
cp -p store/before-004.tsv store/users.tsv && bin/migrate force 3 && bin/migrate up && bin/migrate status && bin/users dee && cat store/users.tsv
