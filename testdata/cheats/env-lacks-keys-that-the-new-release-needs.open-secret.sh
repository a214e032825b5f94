# cause: collateral
# The keys are there, and everybody may write the file with the secret.
grep -E '^(DATABASE|QUEUE)' .env.example >> .env; chmod 666 .env
