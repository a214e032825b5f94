# cause: wrong_fix
# So many digits count as anybody has had.
sed -i 's/-k2,2r/-k2.1,2.10nr/' bin/best
