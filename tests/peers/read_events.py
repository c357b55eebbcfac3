"""Prints what TensorBoard reads from the runs below a log folder, as one JSON document: {run: {"scalars": {tag: [[step, time, "value"], …]},
"images": {tag: [[step, width, height], …]}, "texts": {tag: [text, …]}}}.

usage: read_events.py LOGDIR
"""
import json
import sys

from tensorboard.backend.event_processing import event_multiplexer, plugin_event_multiplexer
from tensorboard.util import tensor_util

multiplexer = event_multiplexer.EventMultiplexer({}, size_guidance={"scalars": 0, "images": 0}).AddRunsFromDirectory(sys.argv[1])
multiplexer.Reload()
plugins = plugin_event_multiplexer.EventMultiplexer({}, tensor_size_guidance={"text": 0}).AddRunsFromDirectory(sys.argv[1])
plugins.Reload()
document = {}
for run, tags in multiplexer.Runs().items():
    texts = plugins.PluginRunToTagToContent("text").get(run, {})
    document[run] = {
        "scalars": {tag: [[e.step, e.wall_time, repr(e.value)] for e in multiplexer.Scalars(run, tag)] for tag in tags["scalars"]},
        "images": {tag: [[e.step, e.width, e.height] for e in multiplexer.Images(run, tag)] for tag in tags["images"]},
        "texts": {
            tag: [tensor_util.make_ndarray(e.tensor_proto).item().decode() for e in plugins.Tensors(run, tag)] for tag in texts
        },
    }
print(json.dumps(document))
