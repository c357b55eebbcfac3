#!/usr/bin/env python3
"""Breaks each rule of includes.py in a small tree of its own, and demands that it is named."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import gate  # noqa: E402
import includes  # noqa: E402

WHOLE = {
    "engine/comm/README.md": "# comm\n\nMay include: nothing of the project.\n",
    "engine/comm/CMakeLists.txt": "engine_part(comm\n    HEADERS group.h)\n",
    "engine/comm/group.h": "#pragma once\n#include <ATen/core/Tensor.h>\n",
    "engine/shard/README.md": "# shard\n\nMay include\n`engine/comm`.\n\nStart with `unit.h`.\n",
    "engine/shard/CMakeLists.txt": "engine_part(shard\n    HEADERS unit.h\n    LIBRARIES engine_comm)\n",
    "engine/shard/unit.h": '#pragma once\n#include "engine/comm/group.h"\n',
}
BROKEN = {  # what is changed or added → what must be said
    "an arrow that no README names": ({"engine/comm/group.h": '#include "engine/shard/unit.h"\n'}, "does not name engine/shard"),
    "a circle": (
        {
            "engine/comm/group.h": '#include "engine/shard/unit.h"\n',
            "engine/comm/README.md": "May include `engine/shard`.\n",
            "engine/comm/CMakeLists.txt": "engine_part(comm\n    HEADERS group.h\n    LIBRARIES engine_shard)\n",
        },
        "a circle: ",
    ),
    "a name that has become stale": ({"engine/shard/unit.h": "#pragma once\n"}, "names engine/comm, which nothing"),
    "a folder without README": ({"engine/data/png.h": "", "engine/data/CMakeLists.txt": ""}, "no paragraph begins"),
    "Qt in the engine": ({"engine/comm/group.h": "#include <QString>\n"}, "<QString>, which engine must not know"),
    "SQL in the engine": ({"engine/comm/group.h": "#include <sqlite3.h>\n"}, "<sqlite3.h>, which engine must not know"),
    "torch in the desktop": (
        {"ui/window.h": "#include <ATen/core/Tensor.h>\n", "ui/README.md": "May include: nothing.\n"}, "which ui must not know"),
    "tests in product code": ({"engine/comm/group.h": '#include "tests/support/a.h"\n'}, "does not know the tests"),
    "a library that is not linked": (
        {"engine/shard/CMakeLists.txt": "engine_part(shard\n    HEADERS unit.h)\n"}, "does not link engine_comm"),
    "a folder that has grown": (
        {f"engine/comm/file_{number}.h": "" for number in range(includes.MOST_ENGINE_FILES)}, "are one idea"),
}


if __name__ == "__main__":
    sys.exit(gate.report(gate.failures_of(lambda root: includes.check(root)[0], WHOLE, BROKEN)))
