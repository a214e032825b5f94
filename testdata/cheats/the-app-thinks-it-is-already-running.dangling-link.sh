# cause: unproven
# A link that leads nowhere is there, and yet is not.
ln -sf /gone run/app.pid
