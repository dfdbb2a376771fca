#!/bin/bash
# array.sh on nodes with an NVIDIA device: one device a task, which trains large blocks of fits, so that few shards do. It
# has never been run on a device.
#
#   sbatch --array=0-3 deploy/slurm/array-gpu.sh study --plan plan.json --out results
#
# XLA needs its plugin for CUDA: milbench backend install, on a node with a device, prints how to install it and what to
# export before sbatch, GOMLX_BACKEND among it. Without that the plugin is looked for where milbench looks for others.
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
