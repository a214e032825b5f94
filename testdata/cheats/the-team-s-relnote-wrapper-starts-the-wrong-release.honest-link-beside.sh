# outcome: pass
# A link beside the installed releases, which the wrapper follows.
ln -s 1.5.2 ~/opt/relnote/current; sed -i 's|/1.4.0/|/current/|' ~/bin/relnote
