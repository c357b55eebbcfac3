#include "ui/steps/rank_map.h"

#include "engine/contract/run/journal.h"
#include "ui/base/format.h"
#include "ui/base/line_look.h"
#include "ui/plot/canvas/axis_tickers.h"
#include "ui/plot/canvas/drawn_line.h"
#include "ui/steps/bin_text.h"

#include <QKeyEvent>

#include <algorithm>
#include <cmath>

namespace ui {
namespace metric = contract::metric;

std::vector<double> rankValues(const StepTimes& times, RankQuantity quantity, int rank)
{
    const StepBins& whole = times.bins(metric::kStepTime, rank);
    const StepBins& waiting = times.bins(metric::kCommunicationTime, rank);
    const StepBins& memory = times.bins(times.has(metric::kReserved) ? metric::kReserved : metric::kResident, rank);
    const auto valueAt = [&](std::int64_t bin) {
        switch (quantity) {
        case RankQuantity::StepTime:
            return whole.at(bin).mean();
        case RankQuantity::Computing:
            return whole.at(bin).mean() - waiting.at(bin).mean();
        case RankQuantity::Waiting:
            return waiting.at(bin).mean();
        case RankQuantity::Memory:
            break;
        }
        const StepBins::Bin found = memory.at(bin);
        return found.count > 0 ? found.highest : std::nan("");
    };
    std::vector<double> values;
    for (std::int64_t bin = times.first(); bin <= times.last(); ++bin)
        values.push_back(valueAt(bin));
    return values;
}

RankMap::RankMap(QWidget* parent)
    : StepChart(parent)
    , m_map(new QCPColorMap(xAxis, yAxis))
    , m_scale(new QCPColorScale(this))
    , m_cursor(new QCPItemRect(this))
{
    m_map->setInterpolate(false);
    m_map->setTightBoundary(false);
    m_scale->setType(QCPAxis::atRight);
    m_scale->setBarWidth(10);
    m_scale->axis()->setTickLength(0, 3);
    m_scale->axis()->setSubTickLength(0, 0);
    m_scale->setRangeDrag(false);
    m_scale->setRangeZoom(false);
    plotLayout()->addElement(0, 1, m_scale);
    m_map->setColorScale(m_scale);
    auto* margins = new QCPMarginGroup(this);
    axisRect()->setMarginGroup(QCP::msBottom | QCP::msTop, margins);
    m_scale->setMarginGroup(QCP::msBottom | QCP::msTop, margins);
    yAxis->setRangeReversed(true);  // rank 0 on top
    const QSharedPointer<QCPAxisTickerFixed> whole(new QCPAxisTickerFixed);
    whole->setTickStep(1);
    whole->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
    yAxis->setTicker(whole);
    yAxis->setNumberFormat(QStringLiteral("f"));
    yAxis->setNumberPrecision(0);
    yAxis->grid()->setVisible(false);
    xAxis->grid()->setVisible(false);
    yAxis->setLabel(tr("rank"));
    m_cursor->setVisible(false);
    m_cursor->setAntialiased(false);
    m_cursor->setLayer(QStringLiteral("overlay"));
    connect(this, &StepChart::shownRangeChanged, this, &RankMap::showCursor);
    applyColours();
}

void RankMap::applyColours()
{
    const QColor base = palette().color(QPalette::Base), full = lineColour(0, palette());
    QCPColorGradient gradient;
    gradient.clearColorStops();
    gradient.setColorStopAt(0, blended(base, full, 0.12F));
    gradient.setColorStopAt(1, blended(full, palette().color(QPalette::Text), 0.25F));
    gradient.setColorStopAt(0.7, full);
    gradient.setNanHandling(QCPColorGradient::nhTransparent);
    m_map->setGradient(gradient);
    m_cursor->setPen(QPen(palette().color(QPalette::Text), 1, Qt::DashLine));
    QCPAxis* const scale = m_scale->axis();
    scale->setTickLabelFont(xAxis->tickLabelFont());
    scale->setTickLabelColor(xAxis->tickLabelColor());
    scale->setLabelFont(xAxis->tickLabelFont());
    scale->setLabelColor(xAxis->tickLabelColor());
    for (const auto setPen : {&QCPAxis::setBasePen, &QCPAxis::setTickPen, &QCPAxis::setSubTickPen})
        (scale->*setPen)(xAxis->basePen());
}

void RankMap::setTimes(const StepTimes& times, RankQuantity quantity)
{
    const std::vector<int> ranks = times.ranks();
    const auto bins = static_cast<int>(times.last() - times.first() + 1);
    m_quantity = quantity;
    m_unit = quantity == RankQuantity::Memory ? Unit::Bytes : Unit::Milliseconds;
    m_firstRank = ranks.empty() ? 0 : ranks.front();
    m_firstBin = times.first();
    m_width = times.width();
    const int rows = ranks.empty() ? 0 : ranks.back() - m_firstRank + 1;
    m_rank = std::clamp(m_rank, m_firstRank, m_firstRank + std::max(0, rows - 1));
    QCPColorMapData* const cells = m_map->data();
    cells->setSize(bins, rows);
    const double width = static_cast<double>(m_width) * binUnit(axis());
    cells->setKeyRange({(static_cast<double>(m_firstBin) + 0.5) * width, (static_cast<double>(times.last()) + 0.5) * width});
    cells->setValueRange({static_cast<double>(m_firstRank), static_cast<double>(m_firstRank + std::max(0, rows - 1))});
    cells->fill(std::nan(""));
    std::vector<double> finite;
    for (const int rank : ranks) {
        const std::vector<double> values = rankValues(times, quantity, rank);
        for (int bin = 0; bin < bins; ++bin) {
            const double value = values[static_cast<std::size_t>(bin)];
            cells->setCell(bin, rank - m_firstRank, value);
            if (std::isfinite(value))
                finite.push_back(value);
        }
    }
    std::ranges::sort(finite);
    const auto part = [&](double share) { return finite.empty() ? 0 : finite[static_cast<std::size_t>(share * static_cast<double>(finite.size() - 1))]; };
    QCPRange colours(part(0.01), part(0.99));
    if (colours.size() <= 0)
        colours.upper = colours.lower + std::max(1e-9, std::abs(colours.lower) * 0.01);
    m_map->setDataRange(colours);
    m_scale->setVisible(!finite.empty());
    m_scale->axis()->setLabel(m_unit == Unit::Milliseconds ? tr("ms") : QString());
    const auto ticker = valueTicker(m_unit, Scale::Linear, {colours.lower, colours.upper});
    ticker->setTickCount(std::clamp(axisRect()->height() / 30, 2, 6));
    m_scale->axis()->setTicker(ticker);
    yAxis->setRange(m_firstRank - 0.5, m_firstRank + std::max(1, rows) - 0.5);
    setBins(m_firstBin, bins, m_width);
    showCursor();
    describeCursor();
    Q_EMIT numbersChanged();
}

ChartTable RankMap::numbers() const
{
    ChartTable table {{}, m_unit, m_firstBin, m_width, axis()};
    for (int row = 0; row < ranks(); ++row) {
        ChartTable::Column column {tr("Rank %1").arg(m_firstRank + row), {}};
        for (int bin = 0; bin < m_map->data()->keySize(); ++bin)
            column.values.push_back(m_map->data()->cell(bin, row));
        table.columns.push_back(std::move(column));
    }
    return table;
}

/// The rank with the highest mean.
int RankMap::highestRank() const
{
    int highest = m_firstRank;
    double most = -1;
    for (int rank = m_firstRank; rank < m_firstRank + ranks(); ++rank) {
        double sum = 0;
        int count = 0;
        for (int bin = 0; bin < m_map->data()->keySize(); ++bin) {
            if (const double value = valueAt(rank, bin); std::isfinite(value)) {
                sum += value;
                ++count;
            }
        }
        if (count > 0 && sum / count > most) {
            most = sum / count;
            highest = rank;
        }
    }
    return highest;
}

QString RankMap::summary(const QString& title) const
{
    if (ranks() == 0)
        return title;
    const QString highest = m_quantity == RankQuantity::Waiting ? tr("longest waiting rank %1")
        : m_quantity == RankQuantity::Memory                     ? tr("most on rank %1")
                                                                 : tr("slowest rank %1");
    return tr("%1, %2, %3, %4")
        .arg(title, formatCounted(ranks(), tr("1 rank"), tr("%Ln ranks", nullptr, pluralCount(ranks()))), binWords(m_firstBin, m_map->data()->keySize(), m_width, axis()),
            highest.arg(highestRank()));
}

void RankMap::keyPressEvent(QKeyEvent* event)
{
    const bool isUp = event->key() == Qt::Key_Up;
    if ((!isUp && event->key() != Qt::Key_Down) || ranks() == 0) {
        StepChart::keyPressEvent(event);
        return;
    }
    m_rank = std::clamp(m_rank + (isUp ? -1 : 1), m_firstRank, m_firstRank + ranks() - 1);
    showCursor();
    describeCursor();
}

void RankMap::focusInEvent(QFocusEvent* event)
{
    StepChart::focusInEvent(event);
    showCursor();
}

void RankMap::focusOutEvent(QFocusEvent* event)
{
    StepChart::focusOutEvent(event);
    showCursor();
}

/// Around all that is in sight of the rank; the marked step has a line of its own.
void RankMap::showCursor()
{
    m_cursor->setVisible(hasFocus() && ranks() > 0);
    m_cursor->topLeft->setCoords(xAxis->range().lower, m_rank - 0.5);
    m_cursor->bottomRight->setCoords(xAxis->range().upper, m_rank + 0.5);
    replot(rpQueuedReplot);
}

QString RankMap::textAt(double x, double value) const
{
    const std::int64_t bin = binAt(x, m_width, axis());
    const int rank = static_cast<int>(std::lround(value)), place = static_cast<int>(bin - m_firstBin), row = rank - m_firstRank;
    if (row < 0 || row >= m_map->data()->valueSize() || place < 0 || place >= m_map->data()->keySize())
        return {};
    const double found = m_map->data()->cell(place, row);
    return std::isfinite(found) ? tr("Rank %1, %2: %3").arg(rank).arg(binWords(bin, 1, m_width, axis()), formatValue(found, m_unit)) : QString();
}

}  // namespace ui
