#include "ui/steps/parts_chart.h"

#include "ui/base/format.h"
#include "ui/base/line_look.h"
#include "ui/base/look.h"
#include "ui/plot/canvas/axis_tickers.h"
#include "ui/plot/layout/plot_groups.h"
#include "ui/plot/plot_words.h"
#include "ui/steps/bin_text.h"

#include <algorithm>
#include <cmath>

namespace ui {

PartsChart::PartsChart(QWidget* parent)
    : StepChart(parent)
    , m_note(new QCPItemText(this))
{
    yAxis->setLabel(tr("ms"));
    m_note->position->setType(QCPItemPosition::ptAxisRectRatio);
    m_note->position->setCoords(1, 0);
    m_note->setPositionAlignment(Qt::AlignRight | Qt::AlignTop);
    m_note->setPadding(QMargins(4, 2, 4, 2));
    m_note->setLayer(QStringLiteral("overlay"));  // above the bars
    applyColours();
    connect(this, &StepChart::shownRangeChanged, this, &PartsChart::chooseHeight);
}

QColor PartsChart::colourOf(std::size_t part) const
{
    // What is left of a step is no part of its own.
    return part + 1 == m_parts.parts.size() && part >= partsMetrics().size() ? fadedText(palette()) : lineColour(static_cast<int>(part), palette());
}

void PartsChart::setParts(StackedParts parts)
{
    m_parts = std::move(parts);
    while (m_bars.size() > m_parts.parts.size()) {
        removePlottable(m_bars.back());
        m_bars.pop_back();
    }
    while (m_bars.size() < m_parts.parts.size()) {
        auto* bars = new QCPBars(xAxis, yAxis);
        bars->setStackingGap(0);
        bars->setAntialiased(false);
        bars->setPen(Qt::NoPen);
        if (!m_bars.empty())
            bars->moveAbove(m_bars.back());
        m_bars.push_back(bars);
    }
    const double width = static_cast<double>(m_parts.width) * binUnit(m_parts.axis);
    for (std::size_t part = 0; part < m_bars.size(); ++part) {
        QVector<QCPBarsData> filled;
        for (std::size_t bin = 0; bin < m_parts.bins(); ++bin) {
            if (const double value = m_parts.parts[part].milliseconds[bin]; std::isfinite(value))
                filled.append({(static_cast<double>(m_parts.firstBin) + static_cast<double>(bin) + 0.5) * width, value});
        }
        m_bars[part]->setWidth(1.25 * width);  // leaves no gaps where bars are narrower than pixels
        m_bars[part]->data()->set(filled, true);
    }
    applyColours();
    setBins(m_parts.firstBin, static_cast<std::int64_t>(m_parts.bins()), m_parts.width);
    chooseHeight();
    describeCursor();
    Q_EMIT numbersChanged();
}

ChartTable PartsChart::numbers() const
{
    ChartTable table {{}, Unit::Milliseconds, m_parts.firstBin, m_parts.width, m_parts.axis};
    for (const StackedParts::Part& part : m_parts.parts)
        table.columns.push_back({part.name, part.milliseconds});
    ChartTable::Column together {tr("Together"), {}};
    for (std::size_t bin = 0; bin < m_parts.bins(); ++bin)
        together.values.push_back(m_parts.total(bin));
    table.columns.push_back(std::move(together));
    return table;
}

void PartsChart::applyColours()
{
    for (std::size_t part = 0; part < m_bars.size(); ++part)
        m_bars[part]->setBrush(colourOf(part));
    m_note->setColor(fadedText(palette()));
    m_note->setBrush(palette().color(QPalette::Base));
    m_note->setFont(xAxis->tickLabelFont());
}

void PartsChart::chooseHeight()
{
    std::vector<double> totals;
    for (std::size_t bin = 0; bin < m_parts.bins(); ++bin) {
        const double middle = (static_cast<double>(m_parts.firstBin) + static_cast<double>(bin) + 0.5) * static_cast<double>(m_parts.width) * binUnit(m_parts.axis);
        if (const double total = m_parts.total(bin); total > 0 && xAxis->range().contains(middle))
            totals.push_back(total);
    }
    std::ranges::sort(totals);
    // A first step that waits for files would leave no room for the others.
    const double usual = totals.empty() ? 1 : totals[static_cast<std::size_t>(0.95 * static_cast<double>(totals.size() - 1))];
    const double highest = totals.empty() ? 1 : totals.back();
    const double top = highest > 2 * usual ? 1.25 * usual : 1.05 * highest;
    m_higher = static_cast<int>(std::ranges::count_if(totals, [&](double total) { return total > top; }));
    m_note->setText(m_higher > 0 ? tr("%1, up to %2").arg(formatCounted(m_higher, tr("%n bar is higher"), tr("%Ln bars are higher", nullptr, pluralCount(m_higher))),
                                       formatValue(highest, Unit::Milliseconds))
                                 : QString());
    m_note->setVisible(m_higher > 0);
    yAxis->setRange(0, top);
    const auto ticker = valueTicker(Unit::Milliseconds, Scale::Linear, {0, top});
    ticker->setTickCount(std::clamp(axisRect()->height() / 30, 2, 6));
    yAxis->setTicker(ticker);
    replot(rpQueuedReplot);
}

QString PartsChart::textAt(double x, double /*value*/) const
{
    const std::int64_t bin = binAt(x, m_parts.width, m_parts.axis) - m_parts.firstBin;
    if (bin < 0 || bin >= static_cast<std::int64_t>(m_parts.bins()))
        return {};
    const auto place = static_cast<std::size_t>(bin);
    const std::int64_t first = (m_parts.firstBin + bin) * m_parts.width;
    const QString places = binText(m_parts.firstBin + bin, 1, m_parts.width, m_parts.axis);
    QStringList lines = {m_parts.axis != XAxis::Step ? tr("%1 %2, mean").arg(xAxisName(m_parts.axis), places)
            : m_parts.width == 1                     ? tr("Step %1").arg(places)
                                                     : tr("Steps %1 to %2, mean").arg(formatCount(first), formatCount(first + m_parts.width - 1))};
    for (std::size_t part = m_parts.parts.size(); part-- > 0;) {
        if (const double value = m_parts.parts[part].milliseconds[place]; std::isfinite(value))
            lines << tr("%1: %2").arg(m_parts.parts[part].name, formatValue(value, Unit::Milliseconds));
    }
    lines << tr("Together: %1").arg(formatValue(m_parts.total(place), Unit::Milliseconds));
    return lines.join('\n');
}

}  // namespace ui
