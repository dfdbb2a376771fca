#!/usr/bin/env bash
# Runs the commands of docs/pytorch.md and checks what the page says of them: walk.sh FOLDER MILBENCH PYTHON, with a Python that has
# torch, safetensors, onnxruntime and numpy.
set -euo pipefail
page=$(realpath "$(dirname "$0")/../../docs/pytorch.md") scripts=$(realpath "$(dirname "$0")")
milbench=$(realpath "$2") python=$3
mkdir -p "$1"
cd "$1"
cp "$scripts"/*.py .
milbench() { "$milbench" "$@"; }
python() { "$python" "$@"; }
# The console blocks of the page, in order.
awk '/^```console$/ { in_block = 1; next } /^```/ { in_block = 0 } in_block' "$page" >commands
while read -r command; do
	printf '$ %s\n' "$command"
	eval "$command" </dev/null >>output
done <commands

# same FILE FILE: the columns score of two tables of bags agree within 1e-4, relative above 1.
same() {
	python - "$1" "$2" <<'P'
import csv, sys
a, b = ({r["bag"]: float(r["score"]) for r in csv.DictReader(open(f))} for f in sys.argv[1:])
worst = max(abs(a[k] - b[k]) / max(1, abs(b[k])) for k in b)
print(*sys.argv[1:], f"{len(a)} bags, largest difference {worst:.1e}")
sys.exit(a.keys() != b.keys() or not worst <= 1e-4)
P
}
milbench predict tuned bags.csv >tuned.csv
same pytorch.csv here.csv
same onnx.csv tuned.csv
same back.csv tuned.csv
