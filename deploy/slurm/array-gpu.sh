#!/bin/bash
# array.sh for nodes with an NVIDIA device. Each task has one device and trains large blocks of fits, so few shards are
# enough. It has never been run on a device.
#
#   array=$(sbatch --parsable --array=0-3 deploy/slurm/array-gpu.sh study iterations --out results)
#   sbatch --dependency=afterany:$array --output=milbench-%j.log deploy/slurm/array-gpu.sh study iterations --out results
#
# XLA needs its CUDA plugin. Run milbench backend install on a node with a device: it prints how to install the plugin and
# what to export before sbatch, including GOMLX_BACKEND. Otherwise milbench looks for the plugin in its usual folders.
#SBATCH --job-name=milbench
#SBATCH --output=milbench-%A_%a.log
#SBATCH --open-mode=append
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=4
#SBATCH --mem-per-cpu=4G
#SBATCH --gres=gpu:1
#SBATCH --time=02:00:00
#SBATCH --requeue
#SBATCH --signal=B:USR1@120
export GOMLX_BACKEND=${GOMLX_BACKEND:-xla:cuda}
exec deploy/slurm/array.sh "$@"
