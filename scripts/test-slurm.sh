#!/usr/bin/env bash
# test-slurm.sh: runs the tests of `run --executor slurm` against a real Slurm of one node: munged, slurmctld and slurmd in
# a namespace of their own, with a network that reaches nothing, and gone when the tests are. Where Slurm is not installed,
# Debian's packages are downloaded into the cache folder and unpacked there; nothing is installed. Where that cannot be, it
# says so in a sentence and ends well.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cache=${SMLM_EXP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/smlm-exp}/slurm
packages=(slurmctld slurmd slurm-client munge slurm-wlm-basic-plugins)

skip() {
	echo "test-slurm: skipped: $1" >&2
	exit 0
}

# Downloads and unpacks the packages with what they need and this machine has not.
unpack() {
	type -P apt-get dpkg >/dev/null || skip "there is no Slurm and no apt-get to have it from"
	local new=$cache.new
	rm -rf "$new" && mkdir -p "$new/debs/partial"
	local get=(apt-get install --quiet --yes --no-install-recommends --download-only -o "Dir::Cache::archives=$new/debs" "${packages[@]}")
	"${get[@]}" >"$new/log" 2>&1 || { apt-get update --quiet >>"$new/log" 2>&1 && "${get[@]}" >>"$new/log" 2>&1; } ||
		skip "the packages ${packages[*]} cannot be had: $(tail -n 1 "$new/log")"
	for deb in "$new"/debs/*.deb; do dpkg -x "$deb" "$new/root"; done
	rm -rf "$cache" && mv "$new" "$cache"
}

outside() {
	[ "$(id -u)" = 0 ] || skip "only root may make the namespace that Slurm's daemons get"
	unshare -n -m -p -f --kill-child --mount-proc ip link set lo up 2>/dev/null || skip "no namespace can be made here, or ip is missing"
	if ! type -P slurmctld slurmd sbatch munged >/dev/null && [ ! -x "$cache/root/usr/sbin/munged" ]; then unpack; fi
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
	chmod 755 "$dir"
	go test -c -o "$dir/cli.test" ./cli
	go test -c -o "$dir/slurm.test" ./runs/slurm
	unshare -n -m -p -f --kill-child --mount-proc "$BASH" "$0" inside "$dir"
}

# start DIR: starts the daemons with all that they keep in DIR.
start() {
	local dir=$1 host plugins=''
	host=$(hostname -s)
	ip link set lo up
	ip addr add 10.99.0.1/32 dev lo # with 127.0.0.1 alone, Slurm finds no address of its own
	cp /etc/hosts "$dir/hosts" && echo "127.0.0.1 $host" >>"$dir/hosts" && mount --bind "$dir/hosts" /etc/hosts
	mkdir "$dir"/{bin,munge,state,spool}
	if ! type -P slurmctld slurmd sbatch munged >/dev/null; then
		local lib
		lib=$(dirname "$(find "$cache/root" -name slurm-wlm -path '*/lib/*' -type d)")
		plugins="PluginDir=$lib/slurm-wlm"
		export LD_LIBRARY_PATH=$lib:$lib/slurm-wlm${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
		for program in "$cache"/root/usr/{bin,sbin}/*; do
			name=$(basename "$program")
			ln -s "$program" "$dir/bin/${name%-wlm}" # Debian's alternatives make these names where it is installed
		done
		export PATH=$dir/bin:$PATH
	fi
	head -c 1024 /dev/urandom >"$dir/munge/key" && chmod 400 "$dir/munge/key"
	munged --force --key-file="$dir/munge/key" --socket="$dir/munge/socket" --log-file="$dir/munge/log" \
		--pid-file="$dir/munge/pid" --seed-file="$dir/munge/seed"
	export SLURM_CONF=$dir/slurm.conf
	# A job goes back into the queue after cred_expire, so that this is short.
	cat >"$SLURM_CONF" <<-CONF
		ClusterName=smlm
		SlurmctldHost=$host(127.0.0.1)
		SlurmUser=root
		SlurmdUser=root
		AuthType=auth/munge
		AuthInfo=socket=$dir/munge/socket,cred_expire=5
		$plugins
		StateSaveLocation=$dir/state
		SlurmdSpoolDir=$dir/spool
		SlurmctldPidFile=$dir/slurmctld.pid
		SlurmdPidFile=$dir/slurmd.pid
		SlurmctldLogFile=$dir/slurmctld.log
		SlurmdLogFile=$dir/slurmd.log
		SchedulerParameters=batch_sched_delay=1,sched_interval=1,bf_interval=1
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core
		MpiDefault=none
		MailProg=/bin/true
		ReturnToService=2
		KillWait=10
		AccountingStorageType=accounting_storage/none
		NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
		PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE State=UP
	CONF
	slurmctld
	slurmd -d "$(command -v slurmstepd)"
	for _ in $(seq 300); do
		if sinfo --noheader --format=%t 2>/dev/null | grep -q idle; then return; fi
		sleep 0.2
	done
	tail -n 20 "$dir"/slurm*.log >&2
	echo "test-slurm: Slurm does not start" >&2
	exit 1
}

inside() {
	start "$1"
	export SMLM_EXP_TEST_SLURM=1
	(cd runs/slurm && "$1/slurm.test" -test.run 'RealSlurm' -test.v)
	(cd cli && "$1/cli.test" -test.run 'Scripts/realslurm$' -test.v)
}

case ${1:-} in
inside) inside "$2" ;;
*) outside ;;
esac
