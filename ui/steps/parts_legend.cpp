#include "ui/steps/parts_legend.h"

#include "ui/base/flow_layout.h"
#include "ui/base/format.h"
#include "ui/steps/parts_chart.h"

#include <QBoxLayout>
#include <QEvent>
#include <QLabel>
#include <QPixmap>

#include <cmath>

namespace ui {
namespace {

constexpr int kSwatch = 10;
constexpr double kLeastShare = 0.005;  ///< less would be called 0 %

QPixmap swatch(const QColor& colour, qreal ratio)
{
    QPixmap picture(QSize(kSwatch, kSwatch) * ratio);
    picture.setDevicePixelRatio(ratio);
    picture.fill(colour);
    return picture;
}

double sumOf(const StackedParts::Part& part)
{
    double sum = 0;
    for (const double value : part.milliseconds)
        sum += std::isfinite(value) ? value : 0;
    return sum;
}

}  // namespace

PartsLegend::PartsLegend(const PartsChart& chart, QWidget* parent)
    : QWidget(parent)
    , m_chart(chart)
{
    auto* layout = new FlowLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(10);
}

void PartsLegend::refresh()
{
    const StackedParts& parts = m_chart.parts();
    double total = 0;
    for (const StackedParts::Part& part : parts.parts)
        total += sumOf(part);
    while (m_entries.size() < parts.parts.size())
        m_entries.push_back(makeEntry());
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        const Entry& entry = m_entries[i];
        const double sum = i < parts.parts.size() ? sumOf(parts.parts[i]) : 0;
        const bool isShown = sum > kLeastShare * total;
        entry.widget->setVisible(isShown);
        if (!isShown)
            continue;
        const QColor colour = m_chart.colourOf(i);
        entry.swatch->setPixmap(swatch(colour, devicePixelRatioF()));
        entry.text->setText(tr("%1 %2", "a part and its share of the time").arg(parts.parts[i].name, formatPercent(sum / total, 0)));
    }
}

PartsLegend::Entry PartsLegend::makeEntry()
{
    Entry entry {new QWidget(this), new QLabel, new QLabel};
    auto* row = new QHBoxLayout(entry.widget);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    row->addWidget(entry.swatch);
    row->addWidget(entry.text);
    entry.text->setTextFormat(Qt::PlainText);
    layout()->addWidget(entry.widget);
    return entry;
}

QStringList PartsLegend::texts() const
{
    QStringList texts;
    for (const Entry& entry : m_entries) {
        if (!entry.widget->isHidden())
            texts << entry.text->text();
    }
    return texts;
}

void PartsLegend::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        refresh();
}

}  // namespace ui
