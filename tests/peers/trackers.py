#!/usr/bin/env python3
"""What TensorBoard and trackio take to write and to show a series: a line server for tests/bench/trackers.cpp.

Each line is a command; the answer is the seconds that it took.

  show-tensorboard FOLDER STEP VALUE  from the start of the server until it serves the series loss of FOLDER up to STEP, with VALUE there
  write-tensorboard COUNT             COUNT values by TensorBoard's writer, until they are in the file
  write-trackio COUNT                 COUNT values by trackio, until they are in its database
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request


def get(address):
    with urllib.request.urlopen(address, timeout=60) as answer:
        return json.load(answer)


def last_point(address):
    """The last point of the series loss; None while there is none."""
    for run, tags in get(address + "data/plugin/scalars/tags").items():
        if "loss" in tags:
            query = urllib.parse.urlencode({"run": run, "tag": "loss"})
            points = get(address + "data/plugin/scalars/scalars?" + query)
            return points[-1] if points else None
    return None


def show_tensorboard(folder, step, value):
    begin = time.perf_counter()
    tensorboard = [sys.executable, "-m", "tensorboard.main", "--logdir", folder, "--port", "0", "--load_fast", "true"]
    with subprocess.Popen(tensorboard, stderr=subprocess.PIPE, text=True) as server:
        try:
            address = None
            for line in server.stderr:
                if found := re.search(r"at (http://\S+/)", line):
                    address = found[1]
                    break
            if not address:
                raise RuntimeError("TensorBoard did not start")
            while True:
                try:
                    point = last_point(address)
                    if point and point[1] == int(step):
                        if abs(point[2] - float(value)) > 1e-6 * abs(float(value)):
                            raise RuntimeError(f"TensorBoard shows {point[2]} at step {step}, not {value}")
                        return time.perf_counter() - begin
                except (urllib.error.URLError, ConnectionError):
                    pass
                time.sleep(0.005)
        finally:
            server.kill()


def write_tensorboard(count):
    from tensorboard.summary import Writer

    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        writer = Writer(folder)
        for step in range(int(count)):
            writer.add_scalar("loss", 1.0 / (step + 1), step)
        writer.close()
        seconds = time.perf_counter() - begin
        if sum(file.stat().st_size for file in pathlib.Path(folder).iterdir()) < 30 * int(count):
            raise RuntimeError("TensorBoard's file does not hold all values")
    return seconds


def write_trackio(count):
    # Read by trackio when it is imported.
    with tempfile.TemporaryDirectory() as folder:
        program = (
            "import sys, time, trackio\n"
            "begin = time.perf_counter()\n"
            "trackio.init(project='bench', name='run', embed=False)\n"
            "for step in range(int(sys.argv[1])):\n"
            "    trackio.log({'loss': 1.0 / (step + 1)}, step=step)\n"
            "trackio.finish()\n"
            "print('seconds', time.perf_counter() - begin)\n"
        )
        environment = {**os.environ, "TRACKIO_DIR": folder, "HF_HUB_OFFLINE": "1"}
        printed = subprocess.run([sys.executable, "-c", program, count], check=True, capture_output=True, text=True, env=environment).stdout
        databases = list(pathlib.Path(folder).rglob("*.db"))
        import sqlite3
        values = sum(sqlite3.connect(file).execute("select count(*) from metrics").fetchone()[0] for file in databases)
        if values < int(count):
            raise RuntimeError(f"trackio's database holds {values} values of {count}")
        return float(re.search(r"seconds (\S+)", printed)[1])


COMMANDS = {"show-tensorboard": show_tensorboard, "write-tensorboard": write_tensorboard, "write-trackio": write_trackio}
print("ready", flush=True)
for line in sys.stdin:
    command, *arguments = line.split()
    print(COMMANDS[command](*arguments), flush=True)
