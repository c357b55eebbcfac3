// A shown plot panel with two lines of 1,000 points.
#pragma once
#include "ui/plot/canvas/plot_panel.h"

#include <QTest>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace tests {

inline std::shared_ptr<ui::LineData> makeLine(const std::string& run, int steps, double offset)
{
    auto line = std::make_shared<ui::LineData>();
    line->key = {run, "loss", 0};
    std::vector<storage::Point> points;
    for (int step = 0; step < steps; ++step)
        points.push_back({step, step * 100.0, offset + std::exp(-step / 200.0)});
    line->points.append({.seriesId = 1, .startSeconds = 1'800'000'000}, points);
    return line;
}

inline std::vector<ui::DrawnLine> twoLines()
{
    std::vector<ui::DrawnLine> lines(2);
    lines[0].data = makeLine("a", 1000, 0);
    lines[0].name = QStringLiteral("first");
    lines[1].data = makeLine("b", 1000, 1);
    lines[1].name = QStringLiteral("second");
    lines[1].look = 1;
    return lines;
}

struct PanelFixture {
    ui::PlotViewState viewState;
    ui::PlotPanel panel {{"loss", {"loss"}}, viewState};

    explicit PanelFixture(const std::vector<ui::DrawnLine>& lines = twoLines())
    {
        viewState.setExtent({0, 999});
        panel.resize(700, 300);
        panel.setLines(lines);
        panel.show();
        panel.canvas().setFocus();
        panel.canvas().refresh();
    }
    ui::PlotCanvas& canvas() { return panel.canvas(); }
    void drag(Qt::MouseButton button, Qt::KeyboardModifiers modifiers, QPoint from, QPoint moved)
    {
        QTest::mousePress(&canvas(), button, modifiers, from);
        QTest::mouseMove(&canvas(), from + moved);
        QTest::mouseRelease(&canvas(), button, modifiers, from + moved);
        canvas().refresh();
    }
    void press(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        QTest::keyClick(&panel.canvas(), Qt::Key(key), modifiers);
        panel.canvas().refresh();
    }
};

}  // namespace tests
