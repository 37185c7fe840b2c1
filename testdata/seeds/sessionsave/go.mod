module example.com/sessionwriter

go 1.26
