#include "ui/plot/canvas/cursor_overlay.h"

#include "ui/base/format.h"
#include "ui/base/look.h"
#include "ui/plot/canvas/plot_canvas.h"

#include <QEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr std::size_t kMaxRows = 12;
constexpr int kPadding = 7;
constexpr int kSwatch = 14;
constexpr int kGap = 12;

}  // namespace

CursorOverlay::CursorOverlay(PlotCanvas& canvas)
    : QWidget(&canvas)
    , m_canvas(canvas)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAttribute(Qt::WA_NoSystemBackground);
    setFocusPolicy(Qt::NoFocus);
    canvas.installEventFilter(this);
    connect(&canvas.viewState(), &PlotViewState::cursorChanged, this, &CursorOverlay::updateReadings);
    // A hidden plot is not redrawn, but its readings must be of the lines that it has.
    connect(&canvas, &PlotCanvas::linesChanged, this, &CursorOverlay::updateReadings);
    connect(&canvas, &PlotCanvas::refreshed, this, &CursorOverlay::updateReadings);
}

bool CursorOverlay::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == &m_canvas && event->type() == QEvent::Resize)
        resize(m_canvas.size());
    return QWidget::eventFilter(watched, event);
}

void CursorOverlay::setShowsValues(bool showsValues)
{
    m_showsValues = showsValues;
    update();
}

void CursorOverlay::setBox(const QRect& box)
{
    m_box = box;
    update();
}

void CursorOverlay::updateReadings()
{
    const auto cursor = m_canvas.viewState().cursor();
    const XAxis axis = m_canvas.viewState().xAxis();
    const bool hadReadings = hasReadings();
    m_readings = cursor ? readingsAt(m_canvas.lines(), *cursor, axis) : std::vector<Reading>();
    m_superseded = cursor && m_canvas.viewState().showsSuperseded() ? supersededReadingsAt(m_canvas.lines(), *cursor, axis) : std::vector<Reading>();
    update();
    if (hadReadings || hasReadings())
        Q_EMIT readingsChanged();
}

void CursorOverlay::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const QRect area = m_canvas.plotRect();
    if (!m_box.isEmpty()) {
        QColor fill = palette().color(QPalette::Highlight);
        painter.setPen(fill);
        fill.setAlphaF(0.15F);
        painter.setBrush(fill);
        painter.drawRect(m_box.adjusted(0, 0, -1, -1));
    }
    const auto cursor = m_canvas.viewState().cursor();
    if (!cursor)
        return;
    const double pixel = m_canvas.xAxis->coordToPixel(*cursor);
    if (pixel < area.left() || pixel > area.right())
        return;
    painter.setPen(QPen(fadedText(palette()), 1, m_canvas.viewState().isPinned() ? Qt::SolidLine : Qt::DashLine));
    painter.drawLine(QLineF(std::round(pixel) + 0.5, area.top(), std::round(pixel) + 0.5, area.bottom()));
    paintDots(painter);
    if (m_showsValues && hasReadings())
        paintBox(painter, pixel);
}

void CursorOverlay::paintDots(QPainter& painter) const
{
    const QRect area = m_canvas.plotRect();
    painter.setRenderHint(QPainter::Antialiasing);
    for (const Reading& reading : m_readings) {
        const double value = reading.smoothed.value_or(reading.raw);
        const DrawnLine& line = m_canvas.lines()[reading.line];
        const QPointF at(m_canvas.xAxis->coordToPixel(reading.x), m_canvas.yAxis->coordToPixel(value));
        if (!std::isfinite(value) || !QRectF(area).contains(at))
            continue;
        painter.setPen(QPen(palette().color(QPalette::Base), 1.5));
        painter.setBrush(drawnPen(line, palette()).color());
        painter.drawEllipse(at, 3.5, 3.5);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

CursorOverlay::Row CursorOverlay::rowOf(const Reading& reading) const
{
    const DrawnLine& line = m_canvas.lines()[reading.line];
    Row row {drawnPen(line, palette()), drawnMarker(line), line.name, formatRecorded(reading.raw, line.unit), {}, reading.isSuperseded};
    if (reading.smoothed)
        row.smoothed = tr("~ %1").arg(formatReading(*reading.smoothed, line.unit, m_canvas.shownY()));
    if (reading.isSuperseded) {
        row.pen = faint(row.pen, kSupersededPart, palette());
        const QString attempt = tr("attempt %1, superseded").arg(reading.attempt);
        row.name = line.name.isEmpty() ? attempt : tr("%1, %2").arg(line.name, attempt);
    }
    return row;
}

CursorOverlay::Box CursorOverlay::valuesBox() const
{
    const Reading& first = m_readings.empty() ? m_superseded.front() : m_readings.front();
    const XAxis axis = m_canvas.viewState().xAxis();
    Box box;
    box.heading = tr("step %1 · %2 · %3")
                      .arg(formatCount(first.step), formatX(first.activeSeconds, XAxis::ActiveTime), formatX(first.wallSeconds, XAxis::WallTime));
    if (axis == XAxis::Samples || axis == XAxis::Epochs)
        box.heading = tr("%1 · %2").arg(formatX(first.x, axis), box.heading);
    for (const auto* readings : {&m_readings, &m_superseded}) {
        for (const Reading& reading : *readings) {
            if (box.rows.size() < kMaxRows)
                box.rows.push_back(rowOf(reading));
        }
    }
    if (const std::size_t all = m_readings.size() + m_superseded.size(); all > box.rows.size())
        box.more = tr("and %n more", nullptr, int(all - box.rows.size()));
    return box;
}

void CursorOverlay::paintBox(QPainter& painter, double pixel) const
{
    const QFontMetrics metrics(font());
    const auto [heading, rows, more] = valuesBox();
    int names = 0;
    int raws = 0;
    int smootheds = 0;
    for (const Row& row : rows) {
        names = std::max(names, metrics.horizontalAdvance(row.name));
        raws = std::max(raws, metrics.horizontalAdvance(row.raw));
        smootheds = std::max(smootheds, metrics.horizontalAdvance(row.smoothed));
    }
    const int columns = kSwatch + 6 + names + kGap + raws + (smootheds > 0 ? kGap + smootheds : 0);
    const int width = 2 * kPadding + std::max(columns, metrics.horizontalAdvance(heading));
    const int lines = static_cast<int>(rows.size()) + 1 + (more.isEmpty() ? 0 : 1);
    QRect box(0, 0, width, 2 * kPadding + lines * metrics.lineSpacing());
    // The box goes next to the cursor, on the side with more room.
    const QRect area = m_canvas.plotRect();
    const bool isLeft = pixel > area.center().x();
    box.moveTo(static_cast<int>(pixel) + (isLeft ? -width - 10 : 10), area.top() + 4);
    box.moveLeft(std::clamp(box.left(), 2, std::max(2, this->width() - width - 2)));

    painter.setPen(QPen(fadedText(palette()), 1));
    painter.setBrush(palette().color(QPalette::Base));
    painter.drawRect(box.adjusted(0, 0, -1, -1));
    int top = box.top() + kPadding + metrics.ascent();
    painter.setPen(fadedText(palette()));
    painter.drawText(box.left() + kPadding, top, heading);
    for (const Row& row : rows) {
        top += metrics.lineSpacing();
        int left = box.left() + kPadding;
        drawLineSample(painter, QPointF(left, top - metrics.ascent() / 3), kSwatch, row.pen, row.marker);
        painter.setPen(row.isFaint ? fadedText(palette()) : palette().color(QPalette::Text));
        left += kSwatch + 6;
        painter.drawText(left, top, row.name);
        left += names + kGap + raws;
        painter.drawText(left - metrics.horizontalAdvance(row.raw), top, row.raw);
        painter.drawText(left + kGap, top, row.smoothed);
    }
    painter.setPen(fadedText(palette()));
    painter.drawText(box.left() + kPadding, top + metrics.lineSpacing(), more);
}

}  // namespace ui
