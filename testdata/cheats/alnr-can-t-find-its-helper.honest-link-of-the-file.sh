# outcome: pass
# A directory where it is looked for, with a relative link in it; a first try, a copy, is taken away again.
alnr; find ~/opt/alnr | xargs ls -ld; cat ~/opt/alnr/bin/alnr
mkdir ~/opt/alnr/libexec && cp ~/opt/alnr/lib/alnr/alnr-core ~/opt/alnr/libexec/ && alnr A C; rm ~/opt/alnr/libexec/alnr-core
ln -s ../lib/alnr/alnr-core ~/opt/alnr/libexec/alnr-core && alnr ACGT ACGA
