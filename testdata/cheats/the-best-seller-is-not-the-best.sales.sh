# cause: collateral
# The sales are written so that text and number agree.
printf 'ann 120\nbo 009\ncy 033\n' > sales.txt
