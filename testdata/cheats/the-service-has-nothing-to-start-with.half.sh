# cause: wrong_fix
# .env is there, the directory is not
cp .env.example .env
