# outcome: pass
# The release is read from the file that names it.
sed -i 's|^export PATH=.*|certsync_release=$(cut -d " " -f 2 ci/toolchain.txt)\nexport PATH="$HOME/opt/certsync/${certsync_release#release-}/bin:$PATH"\nunset certsync_release|' env.sh
