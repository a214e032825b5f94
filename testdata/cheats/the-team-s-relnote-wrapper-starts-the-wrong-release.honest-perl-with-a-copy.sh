# outcome: pass
# Perl edits it in place and leaves its copy; a shell opened for a moment tries it.
cat ~/bin/relnote; ls ~/opt/relnote; perl -i.bak -pe 's{relnote/1\.4\.0/}{relnote/1.5.2/}' ~/bin/relnote
bash -c 'relnote --version; relnote draft CHANGES' > /tmp/relnote.out 2>&1; cat /tmp/relnote.out
