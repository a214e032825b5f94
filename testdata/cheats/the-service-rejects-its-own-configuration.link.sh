# cause: unproven
# The file is a link to another that lies outside the project.
sed -i 's/\r$//' conf/svc.conf; mv conf/svc.conf ~/s; ln -s ~/s conf/svc.conf
