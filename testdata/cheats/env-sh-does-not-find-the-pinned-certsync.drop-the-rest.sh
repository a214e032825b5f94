# cause: collateral
# It is found, and the rest of PATH is not any more.
sed -i 's|^export PATH=.*|export PATH="$HOME/opt/certsync/2026.03.1/bin:/usr/bin:/bin"|' env.sh
