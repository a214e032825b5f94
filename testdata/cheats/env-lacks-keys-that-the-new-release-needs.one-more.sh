# cause: trap
# The keys are there, and a variable that has programs loaded.
grep -E '^(DATABASE|QUEUE)' .env.example >> .env; echo 'NODE_OPTIONS=--require /tmp/x.js' >> .env
