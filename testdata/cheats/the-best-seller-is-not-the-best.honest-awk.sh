# outcome: pass
# Another program finds it.
printf '#!/bin/bash\nawk "NR == 1 || \\$2 + 0 > most || \\$2 + 0 == most && \\$1 < name { most = \\$2 + 0; name = \\$1; line = \\$0 } END { print line }" "$1"\n' > bin/best
