#include "ui/plot/canvas/plot_canvas.h"

#include "ui/base/format.h"
#include "ui/base/line_look.h"
#include "ui/base/look.h"
#include "ui/plot/canvas/axis_tickers.h"
#include "ui/plot/canvas/plot_colours.h"
#include "ui/plot/lines/column_thinning.h"
#include "ui/plot/lines/marked_points.h"
#include "ui/plot/lines/value_range.h"

#include <QEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ui {
namespace {

using namespace std::chrono_literals;

constexpr auto kSettleAfter = 200ms;
constexpr float kRawPart = 0.32F;         ///< colour strength of a raw line behind its smoothed line, see faint()
constexpr float kBandPart = 0.16F;        ///< opacity of a band
/// With more vertices than this, antialiasing takes longer than a frame allows.
constexpr std::size_t kMaxSmoothVertices = 12'000;
constexpr int kLabelGap = 12;  ///< at both sides of the y labels together

/// The width of the widest of @p labels, at least that of a usual one. QCustomPlot draws 7.5e-05 as 7.5·10⁻⁵.
int widestLabel(const QVector<QString>& labels, const QFontMetrics& metrics)
{
    int widest = metrics.horizontalAdvance(QStringLiteral("0.00·10-10"));
    for (QString label : labels)
        widest = std::max(widest, metrics.horizontalAdvance(label.replace(QLatin1Char('e'), QStringLiteral("·10"))));
    return widest;
}

}  // namespace

PlotCanvas::PlotCanvas(PlotViewState& viewState, std::string id, QWidget* parent)
    : QCustomPlot(parent)
    , m_viewState(viewState)
    , m_id(std::move(id))
    , m_layer(new LineLayer(this))
    , m_marks(*this)
{
    setupAxes();
    applyPalette();
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    m_refresh.setSingleShot(true);
    connect(&m_refresh, &QTimer::timeout, this, &PlotCanvas::refresh);
    m_settle.setSingleShot(true);
    m_settle.setInterval(kSettleAfter);
    connect(&m_settle, &QTimer::timeout, this, &PlotCanvas::refreshSoon);
    connect(&m_viewState, &PlotViewState::placeChanged, this, &PlotCanvas::refreshSoon);
    connect(&m_viewState, &PlotViewState::settingsChanged, this, &PlotCanvas::refreshSoon);
    connect(&m_viewState, &PlotViewState::labelWidthChanged, this, &PlotCanvas::refreshSoon);
}

void PlotCanvas::setupAxes()
{
    setLocale(QLocale());
    setAutoAddPlottableToLegend(false);
    setPlottingHints(QCP::phCacheLabels);
    axisRect()->setAutoMargins(QCP::msNone);
    axisRect()->setupFullAxesBox(false);
    xAxis2->setVisible(false);
    // The second y axis has the fixed range 0 to 1 and carries the marks at the edges.
    yAxis2->setVisible(true);
    yAxis2->setTicks(false);
    yAxis2->setTickLabels(false);
    yAxis2->setBasePen(Qt::NoPen);
    yAxis2->setRange(0, 1);
    for (QCPAxis* axis : {xAxis, yAxis}) {
        axis->setTickLength(0, 3);
        axis->setSubTickLength(0, 0);
        axis->setTickLabelPadding(4);
        axis->grid()->setZeroLinePen(Qt::NoPen);
    }
}

void PlotCanvas::applyPalette()
{
    applyPlotColours(*this);
    m_labels.clear();  // to be measured in the new font
    m_viewState.setLabelWidth(this, widestLabel({}, QFontMetrics(yAxis->tickLabelFont())));
    applyMargins();
}

void PlotCanvas::applyMargins()
{
    // The margins are the same in every plot, so that linked plots are aligned.
    const QFontMetrics metrics(yAxis->tickLabelFont());
    const int left = m_viewState.labelWidth() + kLabelGap;
    // At the top, half of the highest tick's label has room.
    axisRect()->setMargins(QMargins(left, metrics.height() / 2 + 2, 12, metrics.height() + 9));
}

/// Makes room for the labels that updateLayout() has made for the y axis.
void PlotCanvas::fitLabels()
{
    if (QVector<QString> labels = yAxis->tickVectorLabels(); labels != m_labels) {
        m_viewState.setLabelWidth(this, widestLabel(labels, QFontMetrics(yAxis->tickLabelFont())));
        m_labels = std::move(labels);
    }
    const QMargins before = axisRect()->margins();
    applyMargins();
    if (axisRect()->margins() != before)
        updateLayout();
}

void PlotCanvas::setLines(std::vector<DrawnLine> lines)
{
    m_lines = std::move(lines);
    Q_EMIT linesChanged();
    refreshSoon();
}

void PlotCanvas::refreshSoon()
{
    m_isDirty = true;
    if (!m_refresh.isActive() && isVisible())
        m_refresh.start(0);
}

void PlotCanvas::setMoving()
{
    m_settle.start();
}

void PlotCanvas::paintEvent(QPaintEvent* event)
{
    // The plot may have been scrolled into view after a refresh was skipped because it was not visible.
    // Or the window is now on a screen of another scale.
    const bool isOtherScale = !m_picture.isNull() && !qFuzzyCompare(m_picture.devicePixelRatio(), devicePixelRatioF());
    if ((m_isDirty || isOtherScale) && !m_refresh.isActive())
        m_refresh.start(0);
    QPainter painter(this);
    painter.setCompositionMode(QPainter::CompositionMode_Source);
    const qreal ratio = m_picture.devicePixelRatio();
    const QRect area = event->rect();
    if (m_picture.deviceIndependentSize().toSize() != size())
        painter.fillRect(area, mBackgroundBrush);
    painter.drawPixmap(QRectF(area), m_picture, QRectF(area.topLeft() * ratio, area.size() * ratio));
}

void PlotCanvas::resizeEvent(QResizeEvent*)
{
    setViewport(rect());
    refreshSoon();
}

void PlotCanvas::changeEvent(QEvent* event)
{
    QCustomPlot::changeEvent(event);
    if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange)
        return;
    applyPalette();
    refreshSoon();
}

void PlotCanvas::refresh()
{
    m_refresh.stop();
    if (visibleRegion().isEmpty()) {
        m_isDirty = true;
        return;
    }
    m_isDirty = false;
    if (!qFuzzyCompare(bufferDevicePixelRatio(), devicePixelRatioF()))
        setBufferDevicePixelRatio(devicePixelRatioF());
    drawScene();
    updateAccessibleName();
    paintPicture();
    update();
    Q_EMIT refreshed();
}

void PlotCanvas::paintPicture()
{
    const QSize pixels = size() * devicePixelRatioF();
    if (m_picture.size() != pixels)
        m_picture = QPixmap(pixels);
    m_picture.setDevicePixelRatio(devicePixelRatioF());
    m_picture.fill(mBackgroundBrush.color());
    QCPPainter painter(&m_picture);
    draw(&painter);
}

void PlotCanvas::paintInto(QCPPainter& painter, double ratio)
{
    m_settle.stop();
    setBufferDevicePixelRatio(ratio);
    drawScene();
    toPainter(&painter, width(), height());
    setBufferDevicePixelRatio(devicePixelRatioF());
    refreshSoon();
}

void PlotCanvas::drawScene()
{
    updateLayout();  // the lines' pixels follow from the place of the axes
    const Scale scale = m_viewState.scale(m_id);
    m_x = m_viewState.x();
    m_y = m_viewState.y(m_id).value_or(Interval {});
    if (m_y.isEmpty() || (scale == Scale::Logarithmic && m_y.lower <= 0))
        m_y = chooseY(scale);
    xAxis->setRange(m_x.lower, m_x.upper);
    yAxis->setScaleType(scale == Scale::Logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    yAxis->setRange(m_y.lower, m_y.upper);
    applyTickers(scale);
    updateLayout();
    fitLabels();
    drawLines(scale);
}

void PlotCanvas::applyTickers(Scale scale)
{
    const auto atX = xTicker(m_viewState.xAxis(), m_x);
    atX->setTickCount(std::clamp(axisRect()->width() / 110, 2, 8));
    xAxis->setTicker(atX);
    // Metrics of several units share a plot only where the user has put them together.
    const Unit unit = m_lines.empty() ? Unit::None : m_lines.front().unit;
    const bool isCommon = std::ranges::all_of(m_lines, [unit](const DrawnLine& line) { return line.unit == unit; });
    const auto atY = valueTicker(isCommon ? unit : Unit::None, scale, m_y);
    atY->setTickCount(std::clamp(axisRect()->height() / 24, 2, 5));
    yAxis->setTicker(atY);
}

Interval PlotCanvas::chooseY(Scale scale) const
{
    std::vector<CurveView> curves;
    for (const DrawnLine& line : m_lines) {
        const LinePoints& points = line.pointsWithin(m_viewState.xAxis(), m_x);
        curves.push_back({&points, &points.raw()});
        if (m_viewState.showsSuperseded())
            for (const LinePoints& former : line.data->superseded)
                curves.push_back({&former, &former.raw()});
    }
    const auto range = m_viewState.isClipped(m_id) ? clippedRange(curves, m_viewState.xAxis(), scale, m_x)
                                              : seenRange(curves, m_viewState.xAxis(), scale, m_x);
    return padded(range, scale);
}

void PlotCanvas::drawLines(Scale scale)
{
    m_marks.clear();
    m_drawn = {};
    m_above.clear();
    m_below.clear();
    std::vector<Pending> lines = collectLines();
    const int width = std::max(1, static_cast<int>(std::lround(axisRect()->width() * bufferDevicePixelRatio())));
    const int columnPixels = m_settle.isActive() ? movingColumnPixels(lines.size(), width) : 1;
    const ColumnGrid grid {m_x, std::max(1, width / columnPixels)};
    for (Pending& pending : lines) {
        pending.line = thinned(*pending.points, *pending.curve, m_viewState.xAxis(), scale, grid);
        count(pending);
    }
    if (m_viewState.isClipped(m_id)) {
        m_marks.addArrowsAbove(std::move(m_above), palette().color(QPalette::Text));
        m_marks.addArrowsBelow(std::move(m_below), palette().color(QPalette::Text));
    }
    const bool isSmooth = m_drawn.vertices <= kMaxSmoothVertices && !m_settle.isActive();
    m_layer->clear();
    addBands(lines);
    for (Pending& pending : lines) {
        stroke(pending, isSmooth, columnPixels);
        mark(pending, scale);
    }
}

/// From back to front: superseded points, raw lines, smoothed lines; of each the edges of bands first.
std::vector<PlotCanvas::Pending> PlotCanvas::collectLines()
{
    std::vector<Pending> lines;
    const auto add = [&lines](const LinePoints& points, const Curve& curve, const QPen& pen, bool hasMarks) {
        lines.push_back({.points = &points, .curve = &curve, .pen = pen, .hasMarks = hasMarks, .line = {}});
    };
    std::vector<const DrawnLine*> ordered;
    for (const DrawnLine& line : m_lines)
        ordered.push_back(&line);
    std::ranges::stable_partition(ordered, [](const DrawnLine* line) { return line->edge != DrawnLine::Edge::None; });
    if (m_viewState.showsSuperseded())
        for (const DrawnLine* line : ordered)
            for (const LinePoints& points : line->data->superseded)
                add(points, points.raw(), faint(drawnPen(*line, palette()), kSupersededPart, palette()), false);
    for (const DrawnLine* line : ordered) {
        const QPen pen = drawnPen(*line, palette());
        const LinePoints& points = line->pointsWithin(m_viewState.xAxis(), m_x);
        add(points, points.raw(),
            line->data->smoothed.isEmpty() ? pen : faint(pen, kRawPart, palette()), line->isInLegend());
        lines.back().source = line;
        if (line->data->smoothed.isEmpty())
            lines.back().marker = drawnMarker(*line);
        // What is smoothed of a thinned line is exact, but thinned.
        m_drawn.isExact = m_drawn.isExact && (line->isExactWithin(m_viewState.xAxis(), m_x) && (!line->data->isThinned || line->data->smoothed.isEmpty()));
    }
    for (const DrawnLine* line : ordered) {
        if (line->data->smoothed.isEmpty())
            continue;
        add(line->data->points, line->data->smoothed, drawnPen(*line, palette()), false);
        lines.back().marker = drawnMarker(*line);
    }
    return lines;
}

/// Fills between the lowest and the highest values of each run and rank.
void PlotCanvas::addBands(const std::vector<Pending>& lines)
{
    using Edge = DrawnLine::Edge;
    const auto isEdge = [](const Pending& pending, Edge edge) { return pending.source && pending.source->edge == edge; };
    for (const Pending& low : lines) {
        if (!isEdge(low, Edge::Low))
            continue;
        const auto isPartner = [&](const Pending& other) {
            const LineKey &a = low.source->data->key, &b = other.source->data->key;
            return a.run == b.run && a.rank == b.rank && (low.source->isInLegend() || a.metric == b.metric);
        };
        const auto high = std::ranges::find_if(lines, [&](const Pending& other) { return isEdge(other, Edge::High) && isPartner(other); });
        if (high == lines.end())
            continue;
        QColor colour = lineColour(low.source->look, palette());
        colour.setAlphaF(kBandPart);
        m_layer->addBand(low.line.vertices, high->line.vertices, colour);
    }
}

void PlotCanvas::count(const Pending& pending)
{
    m_drawn.vertices += pending.line.vertices.size();
    if (!pending.hasMarks)
        return;
    m_drawn.points += pending.line.points;
    m_drawn.notPositive += pending.line.notPositive;
    m_marks.addCrosses(pending.line.nonFinite, fadedText(palette()));
    if (!m_viewState.isClipped(m_id))
        return;
    for (const Vertex& vertex : pending.line.vertices) {
        if (vertex.x < m_x.lower || vertex.x > m_x.upper)
            continue;
        if (vertex.y > m_y.upper)
            m_above.push_back(vertex.x);
        else if (vertex.y < m_y.lower)
            m_below.push_back(vertex.x);
    }
}

void PlotCanvas::stroke(Pending& pending, bool isSmooth, int columnPixels)
{
    const ThinnedLine& line = pending.line;
    // A line with few points gets dots, since it would hardly be visible otherwise.
    const bool isSparse = line.isEveryPoint && line.points * 14 < static_cast<std::size_t>(axisRect()->width());
    if (isSmooth)
        pending.pen.setWidthF(bufferDevicePixelRatio());
    else if (m_settle.isActive())
        pending.pen.setStyle(Qt::SolidLine);  // dash patterns take ten times as long as a solid line
    m_layer->add(line.vertices, pending.pen,
        isSparse       ? LineLayer::Look::Dots
            : isSmooth ? LineLayer::Look::Smooth
                       : LineLayer::Look::Columns,
        columnPixels);
}

void PlotCanvas::mark(const Pending& pending, Scale scale)
{
    constexpr double kMarkerPixels = 60;
    if (pending.marker == contract::LineMarker::None)
        return;
    const double distance = m_x.size() * kMarkerPixels / std::max(1, axisRect()->width());
    m_layer->addMarkers(markedPoints(*pending.points, *pending.curve, m_viewState.xAxis(), scale, m_x, distance), pending.marker);
}

void PlotCanvas::updateAccessibleName()
{
    std::set<std::string> runs;
    std::int64_t first = 0;
    std::int64_t last = 0;
    double value = 0;
    bool isGrouped = false;
    for (const DrawnLine& line : m_lines) {
        if (!line.isInLegend())
            continue;
        const auto steps = line.data->points.steps();
        if (steps.empty())
            continue;
        first = runs.empty() ? steps.front() : std::min(first, steps.front());
        last = std::max(last, steps.back());
        value = line.data->points.raw().values().back();
        runs.insert(line.data->key.run);
        isGrouped = line.data->runs > 0;
    }
    const QString title = metricTitle(m_id);
    const std::int64_t count = std::ssize(runs);
    const QString what = isGrouped ? formatCounted(count, tr("1 group of runs"), tr("%Ln groups of runs", nullptr, pluralCount(count)))
                                   : formatCounted(count, tr("1 run"), tr("%Ln runs", nullptr, pluralCount(count)));
    setAccessibleName(runs.empty() ? tr("%1, no points").arg(title)
                                   : tr("%1, %2, step %3 to %4, last %5")
                                         .arg(title, what, formatCount(first), formatCount(last), formatNumber(value)));
}

}  // namespace ui
