# Programs of packages whose link in node_modules/.bin is missing.
# params: Name, Path
has node && [ -d node_modules ] || exit 0
while IFS=$'\t' read -r name path; do
  [ -e "node_modules/.bin/$name" ] || found "node_modules/.bin lacks $name" Name="$name" Path="$path"
done < <(timeout 15 node -e 'const fs = require("fs"), p = require("path")
const dirs = fs.readdirSync("node_modules").flatMap((d) => d.startsWith("@") ? fs.readdirSync("node_modules/" + d).map((e) => d + "/" + e) : d.startsWith(".") ? [] : [d])
for (const d of dirs) {
  let j; try { j = JSON.parse(fs.readFileSync(p.join("node_modules", d, "package.json"))) } catch { continue }
  const bin = typeof j.bin === "string" ? { [p.basename(d)]: j.bin } : j.bin || {}
  for (const [n, f] of Object.entries(bin)) {
    const rel = p.join(d, String(f))
    if (/^[\w.-]+$/.test(n) && !rel.startsWith("..") && fs.existsSync("node_modules/" + rel)) console.log(n + "\t" + rel)
  }
}' 2> /dev/null)
