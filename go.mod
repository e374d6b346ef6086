module github.com/linerate/linerate

go 1.26
