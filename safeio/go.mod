module github.com/lockvet/lockvet/safeio

go 1.23
