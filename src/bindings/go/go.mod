module bloomline

go 1.19
