#!/usr/bin/env bash
# Builds the image, starts it without a network and with a folder mounted, and runs a notebook in it over Jupyter's HTTP
# interface.
#
#   docker/test.sh [NOTEBOOK]
#
# Where no Docker daemon runs, root starts one of its own for the test (Debian: apt-get install docker.io). BASE and GO name
# the images to build on; without them both are made here, from Debian's packages (debootstrap) and from this machine's Go,
# so that no registry is needed. Certificates that this machine trusts besides Debian's, in /usr/local/share/ca-certificates,
# are put into the base that is made. The exit status is 77 where the test cannot be run.
set -euo pipefail
cd "$(dirname "$0")/.."

notebook=${1:-$(ls notebooks/04-*.ipynb)}
scratch=$(mktemp -d)
daemon= container= images=()

cleanup() {
	[ -z "$container" ] || docker rm --force --volumes "$container" >/dev/null || true
	for image in "${images[@]}"; do docker image rm --force "$image" >/dev/null || true; done
	if [ -n "$daemon" ]; then
		kill "$daemon" || true
		wait "$daemon" || true
		while read -r mount; do umount --lazy "$mount" || true; done < <(awk -v under="$scratch/" 'index($2, under) == 1 { print $2 }' /proc/mounts | sort -r)
	fi
	rm -rf --one-file-system "$scratch"
}
trap cleanup EXIT

cannot() {
	printf '\n%s\n* THE IMAGE IS NOT TESTED: %s\n%s\n' "${stars:=$(printf '*%.0s' {1..100})}" "$1" "$stars" >&2
	exit 77
}

command -v docker >/dev/null || cannot 'there is no docker command (Debian: apt-get install docker.io)'
if ! docker info >/dev/null 2>&1; then
	[ "$(id -u)" = 0 ] || cannot 'no Docker daemon answers, and only root can start one'
	command -v dockerd >/dev/null || cannot 'no Docker daemon answers, and there is no dockerd (Debian: apt-get install docker.io)'
	export DOCKER_HOST=unix://$scratch/docker.sock DOCKER_BUILDKIT=0
	dockerd --data-root="$scratch/data" --exec-root="$scratch/exec" --pidfile="$scratch/pid" --storage-driver=overlay2 \
		--iptables=false --ip6tables=false --bridge=none --host="$DOCKER_HOST" >"$scratch/log" 2>&1 &
	daemon=$!
	for ((i = 0; ; i++)); do
		docker info >/dev/null 2>&1 && break
		if [ "$i" -eq 60 ] || ! kill -0 "$daemon" 2>/dev/null; then
			tail -n 5 "$scratch/log" >&2
			cannot 'no Docker daemon can be started here: see above'
		fi
		sleep 0.5
	done
fi

if [ -z "${BASE:-}" ]; then
	[ "$(id -u)" = 0 ] || cannot 'only root can make a base; set BASE=debian:bookworm-slim where a registry can be reached'
	command -v debootstrap >/dev/null || cannot 'there is no debootstrap to make a base with (Debian: apt-get install debootstrap)'
	debootstrap --variant=minbase --include=ca-certificates bookworm "$scratch/root" >"$scratch/bootstrap" ||
		{ tail -n 20 "$scratch/bootstrap" >&2 && exit 1; }
	find /usr/local/share/ca-certificates -name '*.crt' -exec cp {} "$scratch/root/usr/local/share/ca-certificates" \; 2>/dev/null || true
	chroot "$scratch/root" update-ca-certificates >/dev/null 2>&1
	BASE=synpool-test-base
	tar -C "$scratch/root" -c . | docker import \
		-c 'ENV SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt PIP_CERT=/etc/ssl/certs/ca-certificates.crt' - "$BASE" >/dev/null
	images+=("$BASE")
	rm -rf --one-file-system "$scratch/root"
fi
if [ -z "${GO:-}" ]; then
	GO=synpool-test-go
	tar -C "$(go env GOROOT)" --exclude=_go.mod --transform 's,^\.,usr/local/go,' -c . | docker import - "$GO" >/dev/null
	images+=("$GO")
fi

# The network of the host, since a daemon started here has no other.
build() { docker build --network=host --build-arg BASE="$BASE" --build-arg GO="$GO" -f docker/Dockerfile "$@" . >"$scratch/build" 2>&1; }

start=$SECONDS
build -t synpool-test || { tail -n 60 "$scratch/build" >&2 && exit 1; }
images=(synpool-test "${images[@]}")
printf 'built in %d s, %d MB\n' $((SECONDS - start)) $(($(docker image inspect --format '{{.Size}}' synpool-test) / 1000000))

# Without a network, with nothing of the image's home, and with a folder of the user's.
mkdir -m 755 "$scratch/bags"
printf 'bag,label,x\na,0,0.5\nb,1,1.5\n' >"$scratch/bags/bags.csv"
chmod 644 "$scratch/bags/bags.csv"
began=$(date +%s%N)
container=$(docker run --detach --network=none --env JUPYTER_TOKEN=of-this-test --tmpfs /home/researcher:exec,uid=1000,gid=1000 \
	-v "$scratch/bags:/workspace/data:ro" synpool-test)
for ((i = 0; ; i++)); do
	docker exec "$container" python3 -c 'import urllib.request as r; r.urlopen("http://127.0.0.1:8888/api", timeout=4)' 2>/dev/null && break
	if [ "$i" -eq 150 ] || [ "$(docker inspect --format '{{.State.Running}}' "$container")" != true ]; then
		docker logs --tail 40 "$container" >&2
		printf 'JupyterLab does not start in the image\n' >&2
		exit 1
	fi
	sleep 0.2
done
printf 'started in %d ms\n' $((($(date +%s%N) - began) / 1000000))
[ "$(docker exec "$container" id -u)" = 1000 ] || { printf 'the image runs as another user than its own\n' >&2 && exit 1; }
docker exec "$container" milbench version | grep -q '^milbench devel-[0-9a-f]\{12\}, ' || { printf 'milbench in the image has no version of its source\n' >&2 && exit 1; }
docker exec --interactive "$container" python3 - "synpool/$notebook" /workspace/data/bags.csv <docker/run_notebook.py
docker exec "$container" sh -c 'python3 -c "import numpy, pandas" && git --version' >/dev/null || { printf 'NumPy, pandas or git is missing in the image\n' >&2 && exit 1; }
# A notebook of the user's own, written and run in the home.
own() {
	docker exec --env CI=true "$container" /workspace/synpool/notebooks/lab --new my-study /home/researcher/study &&
		docker exec "$container" python3 /workspace/synpool/notebooks/execute.py --output-dir /tmp /home/researcher/study/my-study.ipynb
}
if ! own >"$scratch/new" 2>&1; then
	tail -n 40 "$scratch/new" >&2
	printf 'lab --new does not work in the image\n' >&2
	exit 1
fi
for ((i = 0; ; i++)); do
	health=$(docker inspect --format '{{.State.Health.Status}}' "$container")
	[ "$health" = healthy ] && break
	[ "$i" -lt 60 ] || { printf 'the health of the container is %s\n' "$health" >&2 && exit 1; }
	sleep 1
done
# Last: what a build writes slows what is timed after it.
if build --build-arg PLUGIN=gpu || ! grep -q 'PLUGIN=gpu: give cpu or cuda' "$scratch/build"; then
	tail -n 5 "$scratch/build" >&2
	printf 'the build argument PLUGIN=gpu is not refused\n' >&2
	exit 1
fi
printf 'the image works, offline, on a base made %s\n' "$([ "$BASE" = synpool-test-base ] && echo here || echo elsewhere)"
