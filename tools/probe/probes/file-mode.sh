# Private keys that others may read.
# params: Path
while IFS= read -r -d '' f; do
  found "$f is open to others" Path="$f"
done < <(files \( -name '*.key' -o -name '*.pem' -o -name 'id_rsa' -o -name 'id_ed25519' -o -name 'id_ecdsa' \) -perm /077)
