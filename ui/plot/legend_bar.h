// The names of a plot's lines, in one row: swatch, name, newest value (or the one at the cursor).
#pragma once
#include "ui/plot/readout.h"

#include <QWidget>

namespace ui {

class LegendBar : public QWidget {
    Q_OBJECT
public:
    explicit LegendBar(QWidget* parent = nullptr);

    void setLines(const std::vector<DrawnLine>& lines);
    /// Values at the cursor; empty: the newest ones.
    void setReadings(const std::vector<Reading>& readings);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString valueOf(std::size_t line) const;
    QString entryText(std::size_t line) const;
    void describe();

    std::vector<DrawnLine> m_lines;
    std::vector<Reading> m_readings;
};

}  // namespace ui
