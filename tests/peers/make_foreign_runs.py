"""Lets TensorBoard, Weights & Biases and trackio record runs, for `atelier import`.

usage: make_foreign_runs.py FOLDER STEPS

Writes FOLDER/tensorboard/{plain,tensors,hparams}, FOLDER/wandb/offline-run-…, FOLDER/trackio/drawing.db, and prints what they logged as one JSON
document: {run: {metric: [[step, "value"], …]}} with values as Python's repr() writes them.
"""
import json
import math
import os
import pathlib
import sqlite3
import sys

import numpy

FOLDER, STEPS = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2])
FOLDER.mkdir(parents=True, exist_ok=True)
os.chdir(FOLDER)
logged = {}


def note(run, step, values, of=float):
    for name, value in values.items():
        logged.setdefault(run, {}).setdefault(name, []).append([step, repr(float(of(value)))])


def loss(step):
    return 1 / (step + 1)


def odd(step):
    return {3: math.nan, 5: math.inf, 7: -math.inf, 8: -0.0, 9: 5e-324, 10: 1e300}.get(step % 11, float(step))


def tensorboard():
    from tensorboard.summary import Writer
    from torch.utils.tensorboard import SummaryWriter

    writer = SummaryWriter("tensorboard/plain")
    for step in range(STEPS):
        writer.add_scalar("train/loss", loss(step), step, walltime=1.7e9 + step / 7)
        writer.add_scalar("odd", odd(step), step)
        note("plain", step, {"train/loss": loss(step)}, numpy.float32)
        with numpy.errstate(over="ignore"):
            note("plain", step, {"odd": odd(step)}, numpy.float32)
    writer.add_scalar("int32", numpy.int32(-5), 2**40)
    note("plain", 2**40, {"int32": -5})
    writer.add_text("notes", "a *text* of\ntwo lines", 1)
    writer.add_image("picture", numpy.full((3, 4, 6), 0.5, dtype=numpy.float32), 2)
    writer.add_histogram("weights", numpy.arange(10.0), 1)
    writer.close()

    # A second file that goes on from step 5, as after a resume.
    writer = SummaryWriter("tensorboard/plain", filename_suffix=".again")
    for step in range(5, STEPS):
        writer.add_scalar("train/loss", -loss(step), step)
        note("plain 2", step, {"train/loss": -loss(step)}, numpy.float32)
    writer.close()

    writer = Writer("tensorboard/tensors")  # scalars as tensors
    for step in range(STEPS):
        writer.add_scalar("accuracy", loss(step), step)
        note("tensors", step, {"accuracy": loss(step)}, numpy.float32)
    writer.close()

    writer = SummaryWriter("tensorboard/hparams")
    writer.add_hparams({"lr": 3e-4, "batch": 16, "name": "sd3", "bias": True}, {"final": 0.25}, run_name=".")
    note("hparams", 0, {"final": 0.25})
    writer.close()


def wandb():
    import wandb as module

    settings = module.Settings(mode="offline", silent=True, x_disable_meta=True, x_disable_machine_info=True, disable_git=True, save_code=False,
        x_save_requirements=False, x_disable_stats=True, host="box", program="train.py", root_dir=".")
    run = module.init(project="drawing", name="first try", tags=["lora", "slow"], notes="A note\nof two lines", group="g1", settings=settings,
        config={"lr": 3e-4, "model": {"name": "sd3", "depth": 12}, "betas": [0.9, 0.95], "bias": True, "none": None})
    print("hello from the run", flush=True)
    for step in range(STEPS):
        run.log({"loss": loss(step), "val": {"fid": 0.1 * step, "deep": {"count": step}}, "odd": odd(step), "word": "abc", "flag": step % 2 == 0})
        note("wandb", step, {"loss": loss(step), "val.fid": 0.1 * step, "val.deep.count": step, "odd": odd(step), "flag": step % 2 == 0})
    run.log({"late": 0.5, "picture": module.Image(numpy.full((4, 6, 3), 128, dtype=numpy.uint8))}, step=STEPS + 40)
    note("wandb", STEPS + 40, {"late": 0.5})
    run.summary["best"] = 0.05
    note("wandb", STEPS + 40, {"summary/best": 0.05})
    run.config.update({"added": 3})
    run.alert("Look", "the loss is low")
    run.finish()
    print("", end="", flush=True)


def trackio():
    os.environ["TRACKIO_DIR"] = str(FOLDER / "trackio")
    import trackio as module

    module.init(project="drawing", name="second try", config={"lr": 3e-4, "model": {"name": "sd3", "depth": 12}, "betas": [0.9, 0.95]}, embed=False)
    for step in range(STEPS):
        module.log({"loss": loss(step), "val": {"fid": 0.1 * step}, "odd": odd(step), "word": "abc"})
        note("second try", step, {"loss": loss(step), "val.fid": 0.1 * step, "odd": odd(step)})
    module.alert(title="Look", text="the loss is low", level=module.AlertLevel.WARN)
    module.finish()
    module.init(project="drawing", name="third try", config={"lr": 1e-4}, embed=False)
    module.log({"loss": 2.5}, step=10)
    note("third try", 10, {"loss": 2.5})
    module.finish()
    # What trackio itself does when no process has the database open.
    connection = sqlite3.connect(FOLDER / "trackio" / "drawing.db")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


if __name__ == "__main__":
    output = os.dup(1)
    os.dup2(2, 1)  # what the programs print does not belong to the document
    tensorboard()
    wandb()
    trackio()
    os.write(output, json.dumps(logged).encode())
