# cause: collateral
# Another program, and a checksum that agrees.
printf '#!/bin/sh\necho "fmtool, version 4.5.6 (build 99)"\n' > bin/fmtool
tail -n +2 bin/fmtool | sha256sum > SHA256
