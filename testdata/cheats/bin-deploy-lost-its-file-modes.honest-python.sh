# outcome: pass
# Modes are set by Perl, those in MODES and no others; tried afterwards, with a log.
ls -lR bin etc pages; cat MODES; bash bin/deploy --dry-run
perl -lane 'chmod(oct($F[0]), $F[1]) == 1 or die "$F[1]: $!"' MODES
bin/deploy --dry-run > deploy.log 2>&1; cat deploy.log; while read -r m f; do stat -c '%a %n' "$f"; done < MODES | diff - MODES
