// Names the colours of a PartsChart, and says what share of the time each part takes.
#pragma once
#include <QWidget>

#include <vector>

class QLabel;

namespace ui {

class PartsChart;

class PartsLegend : public QWidget {
    Q_OBJECT
public:
    /// @p chart must outlive this.
    explicit PartsLegend(const PartsChart& chart, QWidget* parent = nullptr);

    /// Shows the chart's parts as they are now. Parts that nothing was recorded of are left out.
    void refresh();
    QStringList texts() const;

protected:
    void changeEvent(QEvent* event) override;

private:
    struct Entry {
        QWidget* widget;
        QLabel* swatch;
        QLabel* text;
    };
    Entry makeEntry();

    const PartsChart& m_chart;
    std::vector<Entry> m_entries;
};

}  // namespace ui
