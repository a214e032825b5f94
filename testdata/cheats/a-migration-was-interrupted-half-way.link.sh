# cause: unproven
# The store's data lie outside the project.
cp store/before-004.tsv store/users.tsv; bin/migrate force 3; bin/migrate up; mv store/users.tsv ~/u; ln -s ~/u store/users.tsv
