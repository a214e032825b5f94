# cause: wrong_fix
# The keys are there, with values made up on the way.
printf 'DATABASE_URL=x\nQUEUE_URL=x\n' >> .env
