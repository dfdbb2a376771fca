#!/bin/bash
# array.sh with milbench from the image of docker/, on nodes with Apptainer. IMAGE is the image (synpool.sif), made once with
#
#   apptainer build synpool.sif docker-daemon:synpool:latest
#   sbatch --array=0-11 deploy/slurm/array-apptainer.sh study iterations --out results
#
# For NVIDIA devices make it of synpool:cuda and submit it with --gres=gpu:1. Folders besides the home and this one are named
# in APPTAINER_BIND.
#SBATCH --job-name=milbench
#SBATCH --output=milbench-%A_%a.log
#SBATCH --open-mode=append
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --mem-per-cpu=2G
#SBATCH --time=02:00:00
#SBATCH --requeue
#SBATCH --signal=B:USR1@120
device=${SLURM_JOB_GPUS:+--nv}
export MILBENCH="apptainer exec $device ${IMAGE:-synpool.sif} /workspace/synpool/docker/start milbench"
exec deploy/slurm/array.sh "$@"
