# cause: collateral
# The example overwrites the user's secret.
cp .env.example .env
