# outcome: pass
# A line behind the others puts the right directory first.
echo 'export PATH="$HOME/opt/certsync/2026.03.1/bin:$PATH"' >> env.sh
