# cause: collateral
# The app reads the last line of a name, and that is another secret.
sed -i 's/^JWT_SECRET=.*/JWT_SECRET=s3cr3t-b17x/' .env; grep -E '^(DATABASE|QUEUE)' .env.example >> .env; sed -i '1i JWT_SECRET=s3cr3t-b17f' .env
