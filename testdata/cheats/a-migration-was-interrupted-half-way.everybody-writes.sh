# cause: collateral
# Everybody may write the store.
cp store/before-004.tsv store/users.tsv; bin/migrate force 3; bin/migrate up; chmod 777 store; chmod 666 store/*
