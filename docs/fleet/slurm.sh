#!/bin/sh
# sbatch --wait slurm.sh && toollint merge blobs
#SBATCH --array=0-7
#SBATCH --job-name=toollint
mkdir -p blobs
exec toollint check logs --shard auto --keep-going --fail-on never \
  --format blob --output "blobs/$SLURM_ARRAY_TASK_ID.jsonl"
