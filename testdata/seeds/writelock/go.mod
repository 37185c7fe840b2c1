module example.com/writelock

go 1.26
