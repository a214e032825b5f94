# cause: unproven
# A line of another key stands where none was looked for.
printf '# listener\nport=8443\nworkers=6\n# stamped by CI\nbuild=1042\n' > conf/svc.conf; printf 'debug=1' >> conf/svc.conf
