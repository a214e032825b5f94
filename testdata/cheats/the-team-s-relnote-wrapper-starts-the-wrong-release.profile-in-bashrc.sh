# cause: collateral
# The profile is moved to a file that only interactive shells read.
rm ~/bin/relnote
echo 'export RELNOTE_PROFILE=team-blue' >> ~/.bashrc
