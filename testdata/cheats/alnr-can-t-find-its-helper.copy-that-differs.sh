# cause: unproven
# A copy of the helper that says more of long sequences.
mkdir ~/opt/alnr/libexec; sed 's/^echo "score \$score/[ ${#1} -gt 40 ] \&\& score=0; &/' ~/opt/alnr/lib/alnr/alnr-core > ~/opt/alnr/libexec/alnr-core; chmod 755 ~/opt/alnr/libexec/alnr-core
