# outcome: pass
# The newest is found with sort -V, the link is made aside and moved into its place; a log says so.
bin/status; ls -l current releases/*
new=$(for c in releases/*/COMPLETE; do dirname "$c"; done | sort -V | tail -n 1)
ln -s "$new" current.tmp && mv -T current.tmp current && bin/status && echo "$(date +%FT%T) current -> $new" >> switch.log
