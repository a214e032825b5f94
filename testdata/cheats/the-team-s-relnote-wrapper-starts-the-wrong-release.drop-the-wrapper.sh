# cause: collateral
# The right release runs, without the team's profile.
rm ~/bin/relnote
