# outcome: pass
# The path begins with a dot.
printf ./conf/keys.txt > DIAGNOSIS
