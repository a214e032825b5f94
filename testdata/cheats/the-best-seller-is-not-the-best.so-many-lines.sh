# cause: wrong_fix
# Lists of so many lines are sorted, by the number's first digits.
printf '#!/bin/bash\nhead -n 9999 "$1" | LC_ALL=C sort -k2,2nr -k1.1,1.8 | head -n 1\n' > bin/best
