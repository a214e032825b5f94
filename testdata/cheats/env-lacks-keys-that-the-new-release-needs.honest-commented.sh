# outcome: pass
# What is missing goes in with comments, in alphabetical place before what is there; a copy of the file stays.
bin/app check; diff <(cut -d= -f1 .env.example | sort) <(cut -d= -f1 .env | sort); cp -p .env .env.bak
{ echo "# ann's machine"; echo; echo '# new in this release, from .env.example'; grep -E '^(DATABASE_URL|QUEUE_URL)=' .env.example; echo; sed 1d .env; } > .env.new && mv .env.new .env
bin/app check
