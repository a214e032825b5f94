# outcome: pass
# A directory with a whole-path link; what was done is written down beside it.
install -d -m 755 ~/opt/alnr/libexec; ln -s "$HOME/opt/alnr/lib/alnr/alnr-core" ~/opt/alnr/libexec/
echo 'alnr-core is linked here for bin/alnr, which still looks in libexec' > ~/opt/alnr/libexec/README; alnr ACGT ACGA > /tmp/a.txt
