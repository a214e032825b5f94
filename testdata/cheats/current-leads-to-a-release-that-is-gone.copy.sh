# cause: unproven
# A copy takes the place of the link.
rm current && cp -a releases/1.10.0 current
