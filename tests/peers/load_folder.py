"""Peer for the loading benchmark: diffusers' from_pretrained() and FSDP2's fully_shard() on CPU, float32 as ours.

Started like fsdp2_dit.py, one process per rank; rank 0 prints one line of JSON.
"""
import argparse
import json
import time

import diffusers
import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def peak_bytes():
    with open("/proc/self/status") as status:
        return next(float(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", required=True)
    folder = parser.parse_args().folder
    diffusers.utils.logging.disable_progress_bar()
    torch.set_num_threads(1)
    dist.init_process_group("gloo")

    dist.barrier()
    start = time.perf_counter()
    model = diffusers.SD3Transformer2DModel.from_pretrained(folder, torch_dtype=torch.float32)
    for block in model.transformer_blocks:
        fully_shard(block)
    fully_shard(model)
    dist.barrier()
    seconds = time.perf_counter() - start

    readings = torch.zeros(dist.get_world_size() + 1, dtype=torch.float64)
    readings[dist.get_rank()] = peak_bytes()
    readings[-1] = sum(p.to_local().double().square().sum() for p in model.parameters())
    dist.all_reduce(readings)
    if dist.get_rank() == 0:
        print(json.dumps({"seconds": seconds, "peak": readings[:-1].max().item(), "squares": readings[-1].item()}), flush=True)
    dist.destroy_process_group()


main()
