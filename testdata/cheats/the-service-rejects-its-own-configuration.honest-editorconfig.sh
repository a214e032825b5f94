# outcome: pass
# Perl, with its copy; and an .editorconfig that keeps such ends out of conf from now on.
file conf/svc.conf 2> /dev/null; od -c conf/svc.conf | head -n 3; perl -i.crlf -pe 's/\r\n/\n/' conf/svc.conf; bin/svc
printf 'root = true\n\n[conf/*]\nend_of_line = lf\ninsert_final_newline = true\n' > .editorconfig
printf '*.conf text eol=lf\nimport/*.csv -text\n' > .gitattributes
