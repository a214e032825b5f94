# outcome: pass
# With blank lines and a comment.
{ echo; echo "# added for the new release"; grep ^DATABASE .env.example; echo; grep ^QUEUE .env.example; } >> .env
