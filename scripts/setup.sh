#!/usr/bin/env bash
# setup.sh PART...: installs what is missing for the parts: go, bench, kernels,
# test, lint, generate, perf, published. It looks for the programs and files
# themselves, so it is quick when all is there, and content with what another distribution provides.
set -euo pipefail

cd "$(dirname "$0")/.."

# What each part needs, as PROGRAM-OR-FILE:DEBIAN-PACKAGE. A * in a file stands for
# anything, one at the end of a package for the number of its version.
declare -A needs=(
	[go]=""
	[bench]="nft:nftables iptables:iptables ip6tables:iptables ip:iproute2 ethtool:ethtool iperf3:iperf3 iperf:iperf bird:bird2"
	[kernels]="qemu-system-x86_64:qemu-system-x86 dpkg-deb:dpkg xz:xz-utils cpio:cpio iptables-legacy:iptables"
	[test]="git:git tcpdump:tcpdump tmux:tmux /usr/bin/chromium:chromium python3:python3 pip3:python3-pip rpmbuild:rpm bzip2:bzip2"
	[lint]="git:git shellcheck:shellcheck"
	[generate]="clang-14:clang-14 llvm-strip-14:llvm-14 /usr/include/bpf/bpf_helpers.h:libbpf-dev /usr/include/linux/bpf.h:linux-libc-dev"
	[perf]="python3:python3 pip3:python3-pip tcpreplay:tcpreplay dpdk-testpmd:dpdk-dev /usr/lib/*/dpdk/pmds-*/librte_net_af_xdp.so*:librte-net-af-xdp*"
	[published]="dpdk-testpmd:dpdk-dev /usr/lib/*/dpdk/pmds-*/librte_net_af_xdp.so*:librte-net-af-xdp* /usr/lib/*/dpdk/pmds-*/librte_net_af_packet.so*:librte-net-af-packet*
		ovs-vswitchd:openvswitch-switch /usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk:openvswitch-switch-dpdk bird:bird2 iperf:iperf iperf3:iperf3"
)

say() { echo "setup: $*" >&2; }

# there ITEM: is the program on the PATH, or the file on the disk?
there() {
	case $1 in
	/*) compgen -G "$1" >/dev/null ;;
	*) PATH=$PATH:/usr/sbin:/sbin command -v "$1" >/dev/null ;;
	esac
}

# newer_or_equal A B: is version A at least B?
newer_or_equal() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]; }

# candidate PACKAGE: the version that apt would install, without epoch.
candidate() { apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: *\([0-9]*:\)\?//p' || true; }

# numbered PACKAGE: the package itself, or for one that ends in * its highest number.
numbered() {
	case $1 in
	*\*) apt-cache pkgnames "${1%\*}" | grep -x "${1%\*}[0-9]*" | sort -V | tail -n 1 ;;
	*) echo "$1" ;;
	esac
}

# need_go: a Go toolchain that can build the module. From 1.21 on, Go fetches the
# one that go.mod asks for by itself, unless GOTOOLCHAIN=local forbids it.
need_go() {
	local want have
	want=$(sed -n 's/^go \([0-9.]*\)$/\1/p' go.mod)
	if command -v go >/dev/null; then
		if have=$(go env GOVERSION 2>/dev/null) && newer_or_equal "${have#go}" "$want"; then
			return
		fi
		say "$(command -v go) is ${have:-not working}; linerate needs Go $want or later."
	else
		say "Go is not installed; linerate needs Go $want or later."
		have=$(candidate golang-go)
		if [ -n "$have" ] && newer_or_equal "$have" "$want"; then
			missing+=(golang-go)
			return
		fi
	fi
	say "Get it from https://go.dev/dl/, unpack it into /usr/local and put /usr/local/go/bin on the PATH, then run make again."
	exit 3
}

install_packages() {
	local root=()
	if ! command -v apt-get >/dev/null; then
		say "missing: ${items[*]}"
		say "This system has no apt-get. Install these by its own package manager (in Debian they are in: $*), then run make again."
		exit 3
	fi
	if [ "$(id -u)" -ne 0 ]; then
		if ! command -v sudo >/dev/null; then
			say "missing: ${items[*]}"
			say "Run as root: apt-get install --no-install-recommends $*"
			exit 3
		fi
		root=(sudo)
	fi
	say "installing $*"
	"${root[@]}" apt-get update -qq
	mapfile -t missing < <(for p in "$@"; do numbered "$p"; done)
	"${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

# Versions are fixed: the tests compare with what exactly these do.
declare -A python_packages=([test]="MLRsearch:MLRsearch==1.2.1" [perf]="MLRsearch:MLRsearch==1.2.1")

# need_python PART: the packages from PyPI, into bin/python, beside what make builds.
need_python() {
	local item
	read -ra packages <<<"${python_packages[$1]-}"
	for item in "${packages[@]}"; do
		if [ ! -e "bin/python/${item%%:*}" ]; then
			say "installing ${item#*:} from PyPI into bin/python"
			python3 -m pip install --quiet --disable-pip-version-check --no-deps --root-user-action=ignore --target bin/python "${item#*:}" >&2 ||
				say "PyPI cannot be reached: what compares with ${item%%:*} will be skipped"
		fi
	done
}

missing=()
items=()
need_go
for part in "$@"; do
	if [ -z "${needs[$part]+known}" ]; then
		say "there is no part $part; the parts are: ${!needs[*]}"
		exit 2
	fi
	read -d '' -ra part_needs <<<"${needs[$part]}" || true # several lines
	for need in "${part_needs[@]}"; do
		if ! there "${need%:*}"; then
			items+=("${need%:*}")
			missing+=("${need##*:}")
		fi
	done
done
if [ ${#missing[@]} -gt 0 ]; then
	mapfile -t missing < <(printf '%s\n' "${missing[@]}" | sort -u)
	install_packages "${missing[@]}"
fi
for item in "${items[@]}"; do
	if ! there "$item"; then
		say "$item is still missing after ${missing[*]} was installed; install the package that holds it by hand."
		exit 3
	fi
done
for part in "$@"; do
	need_python "$part"
done
