# Every target is one command for a person; `make` alone lists them.
#
#   make bench                                      the shipped plan "baseline" in the lab
#   make bench PLAN=linux-router                    another plan
#   make bench ARGS='--set traffic.flows=1,100'     with more arguments
#   make test PKG=./search ARGS='-run Classify -v'  some tests only
#   make perf ARGS='repeat cost'                     other lines of perf than the default ones

GO      ?= go
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null)
PREFIX  ?= /usr/local
PLAN    ?= baseline
PKG     ?= ./...
ARGS    ?=

GO_BUILD := CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w -X main.version=$(VERSION)'

# What measures needs root; what compiles does not.
ROOT := $(if $(filter 0,$(shell id -u)),,sudo)

# Where Go is unpacked, but not always on the PATH of root.
export PATH := $(PATH):/usr/local/go/bin

.DEFAULT_GOAL := help
.PHONY: help setup setup-bench setup-kernels setup-test setup-lint setup-generate setup-perf setup-published \
	build bin/linerate bench bench-published test test-kernels perf generate lint clean install

help: ## print this list
	@sed -n 's/^\([a-z][a-z-]*\):.*## /\1|/p' $(firstword $(MAKEFILE_LIST)) | while IFS='|' read -r name text; do \
		printf '  make %-15s %s\n' "$$name" "$$text"; done

setup: ## install what every other target needs
	@scripts/setup.sh bench kernels test lint generate perf published

setup-bench: ## install what bench needs: nftables, iptables, iproute2, ethtool, BIRD (and Go, by hand)
	@scripts/setup.sh bench

setup-kernels: ## install what kernels needs: QEMU, iptables
	@scripts/setup.sh kernels

setup-test: ## install what test needs: these, what published needs, tcpdump, Chromium, rpmbuild, and MLRsearch from PyPI
	@scripts/setup.sh bench kernels published test

setup-lint: ## install what lint needs: shellcheck and the compiler of the BPF programs
	@scripts/setup.sh lint generate

setup-generate: ## install the compiler of the BPF programs and of QEMU's plugin: clang-14, llvm-14, libbpf-dev
	@scripts/setup.sh generate

setup-perf: ## install what perf compares with: tcpreplay, DPDK testpmd, and MLRsearch from PyPI
	@scripts/setup.sh bench perf

setup-published: ## install what the published benchmarks need: DPDK, Open vSwitch, BIRD, iperf and iperf3
	@scripts/setup.sh bench published

build: ## build static binaries for amd64 and arm64 into bin/
	@scripts/setup.sh go
	GOOS=linux GOARCH=amd64 $(GO_BUILD) -o bin/linerate-linux-amd64 ./cmd/linerate
	GOOS=linux GOARCH=arm64 $(GO_BUILD) -o bin/linerate-linux-arm64 ./cmd/linerate
	$(GO_BUILD) -o bin/linerate ./cmd/linerate

bin/linerate:
	@scripts/setup.sh go
	$(GO_BUILD) -o $@ ./cmd/linerate

bench: setup-bench bin/linerate ## measure this machine: set up, build, run the plan PLAN (as root)
	@scripts/as-root.sh bench
	$(ROOT) bin/linerate bench $(PLAN) $(ARGS)

# The plans of docs/published, one after another; what this machine lacks is skipped.
PUBLISHED := linux-router ecmp-kernel ecmp-kernel-frames pktgen-tuning bridge-route-dpdk every-way

bench-published: setup-published bin/linerate ## run the plans that repeat published benchmarks, about 20 minutes (as root)
	@scripts/as-root.sh bench-published
	@for plan in $(PUBLISHED); do $(ROOT) bin/linerate bench $$plan $(ARGS); code=$$?; \
		case $$code in 0 | 3) ;; *) exit $$code ;; esac; done

# Tests make real namespaces and measure real rates: packages run one after another.
test: setup-test ## set up and run every test (as root)
	@scripts/as-root.sh test
	$(GO) test -count=1 -p 1 -timeout 20m $(if $(ROOT),-exec 'sudo -E env PATH=$(PATH)') $(PKG) $(ARGS)

test-kernels: setup-kernels ## boot kernels of Debian 11 and 12 and compare them (12 minutes, no root)
	LINERATE_KERNELS=1 $(GO) test -count=1 -v -timeout 40m ./kernels ./generator/pktgen $(ARGS)

perf: setup-perf ## measure linerate itself: its source against others, pacing, search, overload (as root)
	@scripts/as-root.sh perf
	$(GO) run $(if $(ROOT),-exec 'sudo -E env PATH=$(PATH)') ./perf $(ARGS)

generate: setup-generate ## compile the BPF programs and QEMU's plugin, and write what else is generated
	$(GO) generate ./...

lint: setup-lint ## gofmt, vet, staticcheck, import rules, stale generated files, file sizes, shell scripts
	@GO='$(GO)' scripts/lint.sh

install: bin/linerate ## install bin/linerate into PREFIX/bin (/usr/local/bin)
	install -D -m 0755 bin/linerate $(DESTDIR)$(PREFIX)/bin/linerate

clean: ## remove bin/; runs are kept
	rm -rf bin
