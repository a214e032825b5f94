# A project with .env.example and no .env.
# params:
[ -f .env.example ] && [ ! -e .env ] && found ".env.example is there, and no .env"
