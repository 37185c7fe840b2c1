module example.com/trajindex

go 1.26
