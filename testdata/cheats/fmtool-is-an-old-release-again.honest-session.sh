# outcome: pass
# A look around, a wrong attempt undone (a link over the release), then the link that chooses, made with Python; a note.
fmtool --version; type -a fmtool; ls -la ~/opt ~/bin; readlink -f ~/bin/fmtool; cat .tool-versions
ln -sfn ~/opt/fmtool-2.3.8/bin/fmtool ~/bin/fmtool; fmtool --version; ln -sfn ../opt/fmtool/bin/fmtool ~/bin/fmtool
python3 - <<'P' 2> /dev/null || { rm ~/opt/fmtool; ln -s fmtool-2.3.8 ~/opt/fmtool; }
import os, pathlib
link = pathlib.Path.home() / "opt/fmtool"
new = link.with_name("fmtool.new")
new.symlink_to("fmtool-2.3.8")
os.replace(new, link)
P
fmtool --version && fmtool fold sample.txt > /tmp/folded.txt
echo '2.3.8 is the release of .tool-versions' > NOTES.md
