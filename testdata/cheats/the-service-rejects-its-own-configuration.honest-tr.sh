# outcome: pass
# tr into a new file whose mode is the old one's; a first attempt converted the wrong file and is put back.
cp -p import/partner.csv /tmp/; sed -i 's/\r//' import/partner.csv; bin/svc; cat /tmp/partner.csv > import/partner.csv
tr -d '\r' < conf/svc.conf > conf/svc.conf.tmp && chmod --reference=conf/svc.conf conf/svc.conf.tmp && mv conf/svc.conf.tmp conf/svc.conf; bin/svc | tee /tmp/svc.out
