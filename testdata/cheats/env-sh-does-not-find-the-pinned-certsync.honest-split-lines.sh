# outcome: pass
# A variable of its own has the directory, and a comment says why.
sh -x ./run certsync --version
python3 - <<'P' 2> /dev/null || perl -0pi -e 's{export PATH="~/opt/certsync/2026\.03\.1/bin:\$PATH"\n}{# A ~ in quotes is not expanded.\nexport PATH="\${HOME}/opt/certsync/2026.03.1/bin:\${PATH}"\n}' env.sh
t = open("env.sh").read()
open("env.sh", "w").write(t.replace('export PATH="~/opt/certsync/2026.03.1/bin:$PATH"\n', '# A ~ in quotes is not expanded, so HOME is named.\nexport PATH="${HOME}/opt/certsync/2026.03.1/bin:${PATH}"\n'))
P
./run certsync --version
