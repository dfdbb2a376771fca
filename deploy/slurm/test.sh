#!/usr/bin/env bash
# Runs a study of Musk 1 as an array of 12 tasks, and a last job, on a real Slurm of three nodes on this machine. It kills a
# task, a batch script and a node, requeues a task, and compares the results with those of one undisturbed run.
#
#   deploy/slurm/test.sh [small | full | run SETS AND SETTINGS]
#
# small takes two to three minutes on two idle cores; full uses the default network and takes much longer. GOMLX_BACKEND names
# the backend (go). LIMIT (3600) is the longest wait in seconds. The test needs root, to run Slurm's daemons and to remove a
# node. It installs Debian's packages slurm-wlm and munge if they are missing. Everything that a cluster user does runs as the
# unprivileged user 65534. Another Slurm on the machine is not affected: the test has its own ports, sockets, keys and files,
# and removes them. The exit status is 77 if the test cannot run.
set -euo pipefail
cd "$(dirname "$0")/../.."

shards=12
backend=${GOMLX_BACKEND:-go}
case ${1:-small} in
small)
	# Each width is a separate graph, which XLA compiles within seconds in every shard; it trains 25 fits per block.
	study=(run musk1 --pooling=mean "--width=8,16,24" --folds 5 --curves)
	[ "$backend" = go ] && study+=(--epochs 10 --repeats 12) || study+=(--epochs 60 --repeats 60)
	;;
full) study=(run musk1 --repeats 10 --curves) ;;
*) study=("$@") ;;
esac
limit=${LIMIT:-3600}
scratch=$(mktemp -d)
work=$scratch/work
log=$scratch/log
user=65534
munged='' controller='' array=''
declare -A nodes=() # killing this process loses the node

cleanup() {
	local status=$?
	trap - EXIT
	if [ "$status" -ne 0 ] && [ "$status" -ne 77 ]; then
		tail -n 15 "$log"/* "$work"/*.log >&2 2>/dev/null || true
	fi
	# The first process of a node's namespace ends all its processes.
	[ "${#nodes[@]}" -eq 0 ] || kill -KILL "${nodes[@]}" 2>/dev/null || true
	for daemon in $controller $munged; do kill "$daemon" 2>/dev/null || true; done
	wait
	rm -rf --one-file-system "$scratch"
	exit "$status"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

cannot() {
	printf '\n%s\n* SLURM IS NOT TESTED: %s\n%s\n' "${stars:=$(printf '*%.0s' {1..100})}" "$1" "$stars" >&2
	exit 77
}

fail() {
	printf 'deploy/slurm/test.sh: %s\n' "$1" >&2
	exit 1
}

# until_true WHAT COMMAND...: waits for a command to succeed.
until_true() {
	local end=$((SECONDS + limit)) what=$1
	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || fail "waited in vain for $what"
		sleep 0.2
	done
}

### As root: packages, daemons, the loss of a node.

install_packages() {
	command -v slurmctld >/dev/null && command -v slurmd >/dev/null && command -v munged >/dev/null && return
	command -v apt-get >/dev/null || cannot 'there is no slurmctld, slurmd or munged, and no apt-get to install them with'
	export DEBIAN_FRONTEND=noninteractive
	{ apt-get -q update && apt-get -q install -y --no-install-recommends slurm-wlm munge; } >"$log/apt" 2>&1 ||
		{ tail -n 5 "$log/apt" >&2 && cannot 'the packages slurm-wlm and munge cannot be installed (see above)'; }
}

# free_ports N: N consecutive free ports.
free_ports() {
	local base port
	for _ in {1..50}; do
		base=$((20000 + RANDOM % 10000))
		for ((port = base; port < base + $1; port++)); do
			(exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && continue 2
		done
		echo "$base"
		return
	done
	fail 'no free ports'
}

start_cluster() {
	local port host
	install -d -m 755 -o munge -g munge "$scratch/munge"
	(umask 077 && head -c 64 /dev/urandom >"$scratch/munge/key")
	chown munge:munge "$scratch/munge/key"
	setpriv --reuid=munge --regid=munge --clear-groups munged --foreground --key-file="$scratch/munge/key" \
		--socket="$scratch/munge/socket" --pid-file="$scratch/munge/pid" --seed-file="$scratch/munge/seed" \
		--log-file="$scratch/munge/log" >"$log/munged" 2>&1 &
	munged=$!

	port=$(free_ports 4) host=$(hostname -s)
	mkdir "$scratch/state" "$scratch/spool"
	cat >"$SLURM_CONF" <<-END
		ClusterName=synpool-test
		SlurmctldHost=$host(127.0.0.1)
		SlurmctldPort=$port
		SlurmctldPidFile=$scratch/slurmctld.pid
		SlurmdPidFile=$scratch/slurmd.%n.pid
		StateSaveLocation=$scratch/state
		SlurmdSpoolDir=$scratch/spool/%n
		SlurmUser=root
		SlurmdUser=root
		AuthType=auth/munge
		AuthInfo=socket=$scratch/munge/socket,cred_expire=10
		CredType=cred/munge
		MailProg=/bin/true
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		JobAcctGatherType=jobacct_gather/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core
		SchedulerParameters=batch_sched_delay=1,sched_interval=5
		SlurmdParameters=config_overrides
		MpiDefault=none
		ReturnToService=2
		JobRequeue=1
		SlurmdTimeout=15
		KillWait=5
		MinJobAge=86400
		NodeName=n[1-3] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 3))] CPUs=2 RealMemory=4000
		PartitionName=main Nodes=n[1-3] Default=YES State=UP
		PartitionName=other Nodes=n[1-3] State=UP
	END
	until_true 'munge' test -S "$scratch/munge/socket"
	slurmctld -D -f "$SLURM_CONF" >"$log/slurmctld" 2>&1 &
	controller=$!
	for node in n1 n2 n3; do
		unshare --pid --fork --kill-child --mount-proc slurmd -D -f "$SLURM_CONF" -N "$node" >"$log/$node" 2>&1 &
		nodes[$node]=$!
		disown # no message when it is killed
	done
	until_true 'the nodes' three_idle
}

three_idle() { [ "$(sinfo --noheader --states=idle --format=%D 2>/dev/null)" = 3 ]; }

lose_node() { kill -KILL "${nodes[$1]}" && unset "nodes[$1]"; }

[ "$(id -u)" = 0 ] || cannot 'only root can start its daemons'
unshare --pid --fork --mount-proc true 2>/dev/null || cannot 'processes cannot be put into namespaces of their own here'
mkdir "$log" "$scratch/bin"
install_packages
chmod 755 "$scratch" "$scratch/bin"
go build -o "$scratch/bin/milbench" ./cmd/milbench
cp deploy/samelines.sh "$scratch/bin/samelines"
# The user cannot read the home of root, where the plugin may be.
plugins=$scratch/plugins
mkdir "$plugins"
case $backend in
xla:cpu)
	plugin=$("$scratch/bin/milbench" backend --json | sed -n 's/^ *"plugin": "\(.*\)",*$/\1/p')
	[ -n "$plugin" ] || cannot 'there is no XLA plugin (go run ./cmd/milbench backend install)'
	cp -L "$plugin" "$plugins"
	;;
esac
install -d -m 755 -o "$user" -g "$user" "$work" "$scratch/home"
cp -R deploy "$work"
export SLURM_CONF=$scratch/slurm.conf
start_cluster
printf 'Slurm %s, three nodes; backend %s\n' "$(slurmctld -V | cut -d' ' -f2)" "$backend"

### As a user: the study and its accidents.

# as_user COMMAND...: runs a command as an unprivileged user, in a folder that the nodes share. Milbench is not on the path,
# and jobs need a partition other than the default: the scripts learn both from the environment only.
as_user() {
	(cd "$work" && exec setpriv --reuid="$user" --regid="$user" --clear-groups --no-new-privs env --ignore-environment \
		PATH=/usr/local/bin:/usr/bin:/bin HOME="$scratch/home" SLURM_CONF="$SLURM_CONF" SBATCH_PARTITION=other \
		MILBENCH="env $scratch/bin/milbench" GOMLX_BACKEND="$backend" GOMLX_NO_AUTO_INSTALL=1 \
		PJRT_PLUGIN_LIBRARY_PATH="$plugins" "$@")
}
milbench() { as_user "$scratch/bin/milbench" "$@"; }

# at_work PROCESS TASK: whether a task has finished some fits but not all.
at_work() {
	local file finished
	for file in /proc/"$1"/fd/*; do
		file=$(readlink "$file") || continue
		case $file in
		"$work"/results/*/results.jsonl)
			finished=$(wc -l <"$file")
			[ "$finished" -eq 0 ] || [ "$finished" -ge "${fits[$2]}" ] || return 0
			;;
		esac
	done
	return 1
}

# catch NODE: pauses a working task on a node other than NODE, once per task, and sets process, task and node.
declare -A caught=()
catch() {
	local end=$((SECONDS + limit)) other=$1 exe environment
	while [ "$SECONDS" -lt "$end" ] && [ -n "$(squeue --noheader --job "$array")" ]; do
		while read -r exe; do
			process=${exe#/proc/} process=${process%/exe}
			environment=$(tr '\0' '\n' 2>/dev/null <"/proc/$process/environ") || continue
			task=$(sed -n 's/^SLURM_ARRAY_TASK_ID=//p' <<<"$environment")
			node=$(sed -n 's/^SLURMD_NODENAME=//p' <<<"$environment")
			if [ -z "$task" ] || [ -z "$node" ] || [ "$node" = "$other" ] || [ -n "${caught[$task]:-}" ]; then continue; fi
			kill -STOP "$process" 2>/dev/null || continue
			if at_work "$process" "$task"; then
				caught[$task]=$process
				return
			fi
			kill -CONT "$process" 2>/dev/null || true
		done < <(find /proc/[0-9]* -maxdepth 1 -name exe -lname "$scratch/bin/milbench" 2>/dev/null)
		sleep 0.1
	done
	fail 'no task was found at work'
}

gone() { ! readlink "/proc/$1/exe" >/dev/null; } # or a zombie
ended() { [ -z "$(squeue --noheader)" ]; }
about() { scontrol show job --oneliner "${array}_$1" | grep -o "\b$2=[^ ]*" | tail -n 1 | cut -d= -f2; }

start=$SECONDS
milbench "${study[@]}" --out one >"$log/one" 2>&1 || fail 'the undisturbed run failed'
printf 'one undisturbed run: %d s\n' $((SECONDS - start))

start=$SECONDS
fits=()
for ((i = 0; i < shards; i++)); do
	fits+=("$(milbench "${study[@]}" --out results --shard "$i/$shards" --dry-run --json 2>>"$log/dry" | sed -n 's/^ *"fits": \([0-9]*\),$/\1/p' | tail -n 1)")
done
[[ ${1:-small} != small || " ${fits[*]} " != *' 0 '* ]] || fail "a shard has nothing to do: ${fits[*]} fits"
script=(--cpus-per-task=1 --mem-per-cpu=1G deploy/slurm/array.sh "${study[@]}" --out results)
array=$(as_user sbatch --parsable --array=0-$((shards - 1)) "${script[@]}")
last=$(as_user sbatch --parsable --dependency="afterany:$array" --output=milbench-%j.log "${script[@]}")

catch none
on_lost=$task lost=$node
catch "$lost"
killed=$task killed_process=$process
catch "$lost"
requeued=$task
catch "$lost"
orphan=$task orphan_process=$process
batch=$(sed -n 's/^PPid:\t//p' "/proc/$orphan_process/status")

lose_node "$lost"
printf 'lost node %s, on which task %s was at work\n' "$lost" "$on_lost"
kill -KILL "$killed_process"
printf 'killed the process of task %s\n' "$killed"
as_user scontrol requeue "${array}_$requeued"
printf 'requeued task %s\n' "$requeued"
kill -KILL "$batch"
printf 'killed the batch script of task %s\n' "$orphan"
until_true 'the end of the process whose batch script was killed' gone "$orphan_process"

until_true 'the end of all jobs' ended
printf 'the array, with its accidents: %d s\n' $((SECONDS - start))

for t in "$on_lost" "$killed" "$requeued"; do
	if [ "$(about "$t" Restarts)" -lt 1 ] || [ "$(about "$t" JobState)" != COMPLETED ]; then
		fail "task $t: $(about "$t" JobState) after $(about "$t" Restarts) restarts; it was to be restarted and to complete"
	fi
done
[ "$(about "$orphan" JobState)" = FAILED ] || fail "task $orphan, whose batch script was killed: $(about "$orphan" JobState)"
left=$(sed -n 's/^milbench: \([0-9]*\) of [0-9]* fits done in .*/\1/p' "$work/milbench-$last.log")
[ "${left:-0}" -gt 0 ] || fail "the last job did not train what task $orphan left"
[[ $(cat "$work/milbench-$last.log") == *"$(milbench table results 2>/dev/null)"* ]] || fail 'the last job did not print the table'
elsewhere=$(scontrol show job --oneliner | grep -v '\bPartition=other\b' || true)
[ -z "$elsewhere" ] || fail "not all jobs ran where the environment says: $elsewhere"
processes=$(find /proc/[0-9]* -maxdepth 1 -name exe -lname "$scratch/bin/milbench" 2>/dev/null || true)
[ -z "$processes" ] || fail "milbench is still at work: $processes"

# The lines and tables must equal those of the undisturbed run, also after another merge.
for _ in once twice; do
	"$scratch/bin/samelines" "$work/one" "$work/results"
	for format in md csv tex json; do
		cmp <(milbench table one --format "$format" 2>&1) <(milbench table results --format "$format" 2>&1) ||
			fail "the tables ($format) differ"
	done
	milbench merge results --out results
done
milbench table results
