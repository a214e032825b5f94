# outcome: pass
# awk compares both files; the addition is written in one go, then looked at.
awk -F= 'NR == FNR { has[$1]; next } /^[A-Z]/ && !($1 in has)' .env .env.example > /tmp/missing; cat /tmp/missing
printf '\n# added %s\n%s\n' "$(date +%F)" "$(cat /tmp/missing)" >> .env; bin/app check; git diff --no-index .env.example .env
