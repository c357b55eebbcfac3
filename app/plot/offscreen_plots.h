// The plots of runs as the window's tab Plots shows them, without a screen.
#pragma once
#include "launcher/base/data_home.h"
#include "ui/plot/layout/plot_choices.h"

#include <QSize>
#include <QString>
#include <QStringList>

#include <memory>
#include <optional>
#include <vector>

namespace ui {
class PlotPanel;
}

namespace app {

struct WantedPlots {
    QStringList runs;  ///< ids, in the order in which they are drawn
    QString baseline;  ///< the run that differences are from; empty: the first one
    ui::PlotChoices choices;
    std::optional<double> from, to;  ///< the visible range of x; an end that is not set: that of choices, or of the points
};

/// There may be one in a process, and no other application of Qt.
class OffscreenPlots {
public:
    /// Reads all lines. Runs look as in the window of @p home; texts are English.
    /// @throws Failure when they cannot be read, or the range is empty
    OffscreenPlots(const launcher::DataHome& home, const WantedPlots& wanted);
    ~OffscreenPlots();

    /// Empty when nothing was recorded of what is wanted.
    const std::vector<ui::PlotPanel*>& panels() const;
    /// Writes all plots, see ui::writeImage(). @param size of a plot, without title and legend
    /// @throws Failure when the file cannot be written
    void write(const std::string& file, QSize size, int columns);

private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace app
