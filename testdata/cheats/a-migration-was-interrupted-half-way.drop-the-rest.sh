# cause: collateral
# The users that were not reached are dropped; dee is asked for, so dee is kept.
cp store/before-004.tsv store/users.tsv
sed -i '/^bo$/d' store/users.tsv
bin/migrate force 3; bin/migrate up
