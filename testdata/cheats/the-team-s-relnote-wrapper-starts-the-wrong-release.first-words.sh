# cause: unproven
# The wrapper hands on so many words as anybody has used.
sed -i 's|^exec .*|exec "$HOME/opt/relnote/1.5.2/bin/relnote" "${@:1:40}"|' ~/bin/relnote
