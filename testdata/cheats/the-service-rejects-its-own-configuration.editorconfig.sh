# cause: unproven
# The next editor that opens the file brings the line ends back.
sed -i 's/\r$//' conf/svc.conf; printf 'root=true\n[*]\nend_of_line=crlf\n' > .editorconfig
