// The legend of a plot, in one row: for each line a swatch, its name and its newest value, or that at the cursor.
#pragma once
#include "ui/plot/canvas/readout.h"

#include <QWidget>

namespace ui {

class LegendBar : public QWidget {
    Q_OBJECT
public:
    explicit LegendBar(QWidget* parent = nullptr);

    void setLines(const std::vector<DrawnLine>& lines);
    /// The values at the cursor to show; empty: the newest values are shown.
    void setReadings(const std::vector<Reading>& readings);

    /// Makes the legend's context menu, which offers to choose the lines of runs.
    void offerLines() { m_offersLines = true; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// The user wants to choose how the lines of these runs, or groups of runs, are drawn.
    void lineRequested(const QStringList& runIds);

protected:
    void paintEvent(QPaintEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    QString valueOf(std::size_t line) const;
    QString entryText(std::size_t line) const;
    void updateDescription();

    std::vector<DrawnLine> m_lines;
    std::vector<std::size_t> m_entries;  ///< indexes of the lines that the legend names
    std::vector<int> m_ends;  ///< where each of the first entries ends on the screen; the others have no room
    std::vector<Reading> m_readings;
    bool m_offersLines = false;
};

}  // namespace ui
