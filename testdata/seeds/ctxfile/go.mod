module example.com/ctxfile

go 1.26
