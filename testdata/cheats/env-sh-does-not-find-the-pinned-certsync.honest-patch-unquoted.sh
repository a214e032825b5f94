# outcome: pass
# A patch takes the quotes away from what they may not hold; its backup stays.
cp env.sh env.sh.orig
patch -p0 <<'X'
--- env.sh
+++ env.sh
@@ -1,4 +1,4 @@
 # Sourced by ./run: what this project's tools need.
 export CERTSYNC_STORE="$PWD/certs"
-export PATH="~/opt/certsync/2026.03.1/bin:$PATH"
+export PATH=~/opt/certsync/2026.03.1/bin:"$PATH"
 export CERTSYNC_RETRIES=3
X
./run certsync --version; ./run sh -c 'command -v certsync' > /tmp/which
