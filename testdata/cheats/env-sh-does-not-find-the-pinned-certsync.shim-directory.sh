# cause: unproven
# A shim that prints the version is put on PATH.
mkdir shims
printf '#!/bin/sh\necho "certsync 2026.03.1 (store $CERTSYNC_STORE)"\n' > shims/certsync
chmod 755 shims/certsync
echo 'export PATH="$PWD/shims:$PATH"' >> env.sh
