# cause: unproven
# A wrapper prints the version and knows the one command that is tried.
rm ~/bin/fmtool
cat > ~/bin/fmtool <<'X'
#!/bin/bash
case $1 in --version) echo 'Version: 2.3.8' ;; fold) echo 'two words and more' ;; esac
X
chmod 755 ~/bin/fmtool
