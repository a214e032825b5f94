# A store whose migration was broken off: store/dirty beside store/schema.
# params: Required
[ -e store/dirty ] && [ -x bin/migrate ] || exit 0
at=$(head -c 20 store/schema 2> /dev/null)
[[ $at =~ ^[0-9]+$ ]] && found "the store is marked dirty at schema $at" Required="$at"
