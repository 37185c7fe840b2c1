module example.com/gatestate

go 1.26
