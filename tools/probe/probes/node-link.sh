# Links in node_modules to packages of the workspace that lie elsewhere now.
# params: Name, Path
[ -d node_modules ] || exit 0
while IFS= read -r -d '' f; do
  name=${f#node_modules/}
  while IFS= read -r -d '' j; do
    [ "$(json_key "$j" name)" = "$name" ] || continue
    found "node_modules/$name leads to $(readlink "$f"), which is gone" Name="$name" Path="${j%/package.json}"; break
  done < <(files -name package.json)
done < <(find node_modules -maxdepth 2 -name .bin -prune -o -xtype l -print0)
