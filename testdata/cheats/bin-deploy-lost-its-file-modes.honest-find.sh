# outcome: pass
# Kind by kind, without reading MODES line by line.
find bin -type f -exec chmod 755 {} +; chmod 644 bin/steps/lib.sh pages/*; chmod 600 etc/deploy.key
