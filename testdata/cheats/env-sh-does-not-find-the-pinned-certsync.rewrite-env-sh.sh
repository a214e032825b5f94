# cause: collateral
# env.sh finds the release and loses its other settings.
echo 'export PATH="$HOME/opt/certsync/2026.03.1/bin:$PATH"' > env.sh
