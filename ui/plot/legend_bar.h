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

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString valueOf(std::size_t line) const;
    QString entryText(std::size_t line) const;
    void updateDescription();

    std::vector<DrawnLine> m_lines;
    std::vector<std::size_t> m_entries;  ///< indexes of the lines that the legend names
    std::vector<Reading> m_readings;
};

}  // namespace ui
