#!/usr/bin/env python3
"""Breaks each rule of headers.py in a small tree of its own, beside a Qt of its own, and demands that it is named."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import gate  # noqa: E402
import headers  # noqa: E402

QT = {
    "qt/QtCore/QString": '#include "qstring.h"\n',
    "qt/QtCore/qstring.h": "class QString {};\n",
    "qt/QtGui/QPainter": '#include "qpainter.h"\n',
    "qt/QtGui/qpainter.h": "class QPainter {};\n",
    "qt/QtWidgets/QWidget": '#include "qwidget.h"\n',
    "qt/QtWidgets/qwidget.h": "#include <QtCore/qstring.h>\nclass QPainter;\nclass QWidget {};\n",
}
RANK_MAP = "#pragma once\n\n#include <QWidget>\n\n#include <vector>\n\nclass RankMap : public QWidget {\n    std::vector<int> ranks;\n    QString name;\n    void paint(QPainter*);\n};\n"
WHOLE = {
    "engine/shard/shard_plan.h": "#pragma once\n#include <ATen/core/Tensor.h>\nstruct ShardPlan {\n    at::Tensor all;\n};\n",
    "engine/shard/shard_plan.cpp": '#include "engine/shard/shard_plan.h"\n',
    "engine/shard/unit.h": '#pragma once\n#include "engine/shard/shard_plan.h"\nstruct UnitOfModel {\n    ShardPlan plan;  // of a QString or a std::map no word is meant here\n};\n',
    "engine/shard/view.h": "#pragma once\nstruct ShardPlan;\nShardPlan* planOf(const char* text = \"std::map\");\n",
    "ui/steps/rank_map.h": RANK_MAP,
}
BROKEN = {  # what is changed → what must be said
    "std without its header": ({"ui/steps/rank_map.h": RANK_MAP.replace("#include <vector>\n", "")}, "std::vector without <vector>"),
    "a name of std that the check does not know": ({"ui/steps/rank_map.h": RANK_MAP.replace("std::vector", "std::hive")}, "std::hive: "),
    "Qt without its header": ({"ui/steps/rank_map.h": RANK_MAP.replace("<QWidget>", "<QString>")}, "QWidget without <QWidget>"),
    "Qt declared ahead by nobody": (
        {"ui/steps/rank_map.h": RANK_MAP.replace("<QWidget>", "<QString>").replace(" : public QWidget", "")}, "QPainter without <QPainter>"),
    "LibTorch without a header": ({"engine/shard/view.h": "#pragma once\nvoid draw(at::Tensor& values);\n"}, "names of LibTorch"),
    "a type of ours without its header": (
        {"engine/shard/unit.h": "#pragma once\nstruct UnitOfModel {\n    ShardPlan plan;\n};\n"}, 'ShardPlan without "engine/shard/shard_plan.h"'),
    "no guard": ({"engine/shard/view.h": "struct ShardPlan;\n"}, "not guarded"),
    "a source that begins with another header": (
        {"engine/shard/shard_plan.cpp": '#include "engine/shard/unit.h"\n#include "engine/shard/shard_plan.h"\n'}, "does not begin with"),
}


if __name__ == "__main__":
    sys.exit(gate.report(gate.failures_of(lambda root: headers.check(root, root / "qt"), {**WHOLE, **QT}, BROKEN)))
