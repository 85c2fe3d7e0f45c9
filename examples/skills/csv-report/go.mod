module csv-report

go 1.24
