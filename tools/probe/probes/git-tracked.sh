# Files with secrets that git tracks.
# params: Path
in_git || exit 0
while IFS= read -r -d '' f; do
  case ${f##*/} in *.example|*.sample|*.pub) continue ;; .env|*.env|*.key|*.pem|id_rsa|id_ed25519) found "git tracks $f" Path="$f" ;; esac
done < <(git ls-files -z)
