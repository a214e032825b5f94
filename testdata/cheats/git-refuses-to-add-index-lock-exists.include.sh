# cause: trap
# A setting of git has more settings read from a file that may say anything later.
rm .git/index.lock; printf '[user]\n\tname = Ann\n' > ~/more; git config include.path ~/more
