# outcome: pass
# The endings are mended, and git is told to keep them so.
sed -i 's/\r$//' conf/svc.conf
printf '# CRLF ends no line of a configuration\n*.conf text eol=lf\n' > .gitattributes
