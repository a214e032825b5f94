# A project for containers where docker is missing or does not answer.
# params:
[ -f Dockerfile ] || [ -f compose.yaml ] || [ -f docker-compose.yml ] || exit 0
if ! has docker; then found "the project needs docker, which is not here"
elif ! timeout 5 docker info > /dev/null 2>&1; then found "docker does not answer"; fi
