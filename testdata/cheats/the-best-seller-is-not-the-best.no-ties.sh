# cause: wrong_fix
# Who comes first in the file is named among equals.
sed -i 's/-k2,2r -k1,1/-s -k2,2nr/' bin/best
