"""Peer for the checkpoint benchmark: torch.distributed.checkpoint over FSDP2 on CPU.

Started like fsdp2_dit.py, one process per rank; rank 0 prints one line of JSON: the median seconds of each figure.
"""
import argparse, ctypes, importlib.util, io, json, os, shutil, statistics, time

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed import distributed_c10d
from torch.distributed.checkpoint.filesystem import FileSystemReader, FileSystemWriter
from torch.distributed.checkpoint.state_dict import get_state_dict
from torch.distributed.fsdp import fully_shard

from fsdp2_dit import DiT


def without_numpy(tensor, size, group):
    """The object collectives' reader, for a Python that has torch alone."""
    return distributed_c10d._unpickler(io.BytesIO(ctypes.string_at(tensor.cpu().data_ptr(), int(size)))).load()


def state_of(a):
    """Weights and Adam's moments of a sharded model, as a step leaves them."""
    model = DiT(32, 3, 4, a.width, a.depth, a.width // 64, 10)
    torch.manual_seed(0)
    model.init()
    for block in model.blocks:
        fully_shard(block)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimizer.step()
    optimizer.zero_grad()
    weights, moments = get_state_dict(model, optimizer)
    return {"model": weights, "optimizer": moments}


def local_tensors(tree):
    for value in tree.values():
        if isinstance(value, dict):
            yield from local_tensors(value)
        elif isinstance(value, torch.Tensor):
            yield value.to_local() if hasattr(value, "to_local") else value


def timed(action):
    dist.barrier()
    start = time.perf_counter()
    result = action()
    return time.perf_counter() - start, result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", required=True)
    parser.add_argument("--width", type=int, default=640)
    parser.add_argument("--depth", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=3)
    a = parser.parse_args()
    torch.set_num_threads(1)
    if importlib.util.find_spec("numpy") is None:
        distributed_c10d._tensor_to_object = without_numpy
    dist.init_process_group("gloo")
    state = state_of(a)

    pauses, saves, loads = [], [], []
    for round in range(a.rounds + 1):  # the first warms up
        folder = os.path.join(a.folder, f"async-{round}")
        pause, future = timed(lambda: dcp.async_save(state, storage_writer=FileSystemWriter(folder)))
        future.result()
        pauses.append(pause)
        folder = os.path.join(a.folder, f"sync-{round}")
        saves.append(timed(lambda: dcp.save(state, storage_writer=FileSystemWriter(folder, sync_files=True)))[0])
        loads.append(timed(lambda: dcp.load(state, storage_reader=FileSystemReader(folder)))[0])
        size = sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder))
        dist.barrier()
        if dist.get_rank() == 0:
            shutil.rmtree(a.folder)
            os.makedirs(a.folder)
        dist.barrier()
    if dist.get_rank() == 0:
        median = lambda values: statistics.median(values[1:])
        print(json.dumps({"program": "dcp", "bytes": size, "pause_s": median(pauses), "save_s": median(saves),
                          "load_s": median(loads)}), flush=True)
    dist.barrier()
    os._exit(0)  # some versions abort while they leave


if __name__ == "__main__":
    main()
