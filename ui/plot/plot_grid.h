// Plots in as many columns as there is room for, in a scroll area.
#pragma once
#include "ui/plot/layout/plot_groups.h"
#include "ui/plot/layout/plot_view_state.h"

#include <QScrollArea>

#include <vector>

class QGridLayout;
class QRubberBand;

namespace ui {

class PlotPanel;
struct PlotImage;

class PlotGrid : public QScrollArea {
    Q_OBJECT
public:
    /// @p viewState must outlive this. @param leastPlot the size below which no plot shrinks
    PlotGrid(PlotViewState& viewState, QSize leastPlot, QWidget* parent = nullptr);

    /// Makes a panel for each group; those of groups that stay, stay.
    void setGroups(const std::vector<PlotGroup>& groups);
    const std::vector<PlotPanel*>& panels() const { return m_panels; }
    int columns() const { return m_columns; }
    /// Sets the widget from which the tab key goes to the first plot.
    void setTabOrderAfter(QWidget* widget) { m_before = widget; }

    /// Offers to move and to hide plots, and to choose the lines of runs.
    void setArrangeable();

    /// Asks to move @p panel, one of these, by one place.
    void moveBy(const PlotPanel* panel, bool isEarlier);

    /// Asks for a file and writes these panels into it; all of them if none is named.
    void saveImage(const std::vector<PlotPanel*>& panels = {});
    /// Copies these panels, or all, to the clipboard as a picture.
    void copyImage(const std::vector<PlotPanel*>& panels = {});

Q_SIGNALS:
    /// The result of something that the user asked for, in one sentence.
    void statusMessage(const QString& sentence);
    /// The user wants plot @p id where @p before is; at the end when that is empty.
    void moveRequested(const std::string& id, const std::string& before);
    void hideRequested(const std::string& id);
    /// The user wants to choose how the lines of these runs, or groups of runs, are drawn.
    void lineRequested(const QStringList& runIds);
    /// The user is about to pin the cursor at the lines of these runs, or groups of runs.
    void runsPointedOut(const QStringList& runIds);
    /// The user dropped metrics where plot @p before is; at the end when that is empty.
    void metricsDropped(const QStringList& names, const std::string& before);
    /// The user dropped metrics onto plot @p id, to be drawn in it.
    void metricsDroppedOnto(const QStringList& names, const std::string& id);
    /// The user wants the metrics that were put into plots, @p names, where they usually are.
    void separateRequested(const QStringList& names);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    /// Where a plot that is dropped goes.
    struct Gap {
        std::string before;  ///< the plot that will follow; empty: none
        QRect mark;          ///< in the viewport
        std::string onto = {};  ///< the plot that metrics are put into; empty: they get plots of their own
    };
    /// @param mayJoin the middle of a plot is that plot, not a gap
    Gap gapAt(const QPoint& position, bool mayJoin) const;
    void arrange();
    PlotPanel* makePanel(const PlotGroup& group);
    PlotImage imageOf(const std::vector<PlotPanel*>& panels) const;

    PlotViewState& m_viewState;
    QSize m_leastPlot;
    QWidget* m_page;
    QGridLayout* m_grid;
    QWidget* m_before = nullptr;
    QRubberBand* m_mark = nullptr;  ///< where the dragged plot would go
    bool m_isArrangeable = false;
    std::vector<PlotPanel*> m_panels;
    int m_columns = 0;
};

}  // namespace ui
