#!/bin/sh
# Pin one Go tool in a module of its own, from the repository root: tools/add.sh NAME PACKAGE VERSION [GO-LINE]
# Commit the go.mod and go.sum that it makes. The checksum database stays on: no -mod=mod, no replace.
set -eu
export GOFLAGS= GOWORK=off
mkdir -p "tools/$1"
cd "tools/$1"
rm -f go.mod go.sum
go mod init "done-receipt.invalid/tools/$1"
if [ -e main.go ]; then # a program of our own around the package
  go get "$2@$3"
  go get -tool .
else
  go get -tool "$2@$3"
fi
# `go mod init` writes the version of the Go at hand, which an older one then refuses: the tool's own is enough.
go mod edit -go="${4:-$(go list -f '{{.Module.GoVersion}}' "$2")}" -toolchain=none
go build -mod=readonly -buildvcs=false -o /dev/null tool
