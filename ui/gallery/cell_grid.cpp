#include "ui/gallery/cell_grid.h"

#include "ui/base/look.h"
#include "ui/base/plain_text.h"
#include "ui/gallery/image_fit.h"
#include "ui/gallery/wrapped_text.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>

namespace ui {
namespace {

constexpr qint64 kCacheBytes = 96LL << 20;
constexpr qsizetype kMostShown = 300;  ///< characters of a line that is elided; measuring a text takes time

}  // namespace

CellGrid::CellGrid(const QSize& bound, QWidget* parent, const ImageLimits& limits)
    : QAbstractScrollArea(parent)
    , m_cache(bound, kCacheBytes, nullptr, limits)
{
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    viewport()->setBackgroundRole(QPalette::Base);
    verticalScrollBar()->setSingleStep(40);
    horizontalScrollBar()->setSingleStep(40);
    connect(&m_cache, &ImageCache::loaded, viewport(), qOverload<>(&QWidget::update));
}

void CellGrid::layOutCells()
{
    m_layout = arrangement();
    const int wide = m_layout.headerWidth + m_layout.columns * columnPitch();
    const int high = m_layout.headerHeight + m_layout.rows * rowPitch();
    horizontalScrollBar()->setPageStep(viewport()->width());
    verticalScrollBar()->setPageStep(viewport()->height());
    horizontalScrollBar()->setRange(0, std::max(0, wide - viewport()->width()));
    verticalScrollBar()->setRange(0, std::max(0, high - viewport()->height()));
    viewport()->update();
}

void CellGrid::setCurrent(int row, int column)
{
    row = std::clamp(row, 0, std::max(0, m_layout.rows - 1));
    column = std::clamp(column, 0, std::max(0, m_layout.columns - 1));
    if (row != m_row || column != m_column)
        resetCurrent(row, column);
}

void CellGrid::resetCurrent(int row, int column)
{
    m_row = std::clamp(row, 0, std::max(0, m_layout.rows - 1));
    m_column = std::clamp(column, 0, std::max(0, m_layout.columns - 1));
    ensureVisible();
    viewport()->update();
    if (isCurrentThere())
        setAccessibleDescription(description(m_row, m_column));
    Q_EMIT currentChanged();
}

QRect CellGrid::cellRect(int row, int column) const
{
    return {QPoint(m_layout.headerWidth + column * columnPitch() - horizontalScrollBar()->value(),
                m_layout.headerHeight + row * rowPitch() - verticalScrollBar()->value()),
        m_layout.cell};
}

int CellGrid::firstVisibleRow() const { return std::max(0, verticalScrollBar()->value() / rowPitch() - 1); }

bool CellGrid::cellAt(const QPoint& position, int& row, int& column) const
{
    if (position.x() < m_layout.headerWidth || position.y() < m_layout.headerHeight)
        return false;
    row = (position.y() - m_layout.headerHeight + verticalScrollBar()->value()) / rowPitch();
    column = (position.x() - m_layout.headerWidth + horizontalScrollBar()->value()) / columnPitch();
    return row < m_layout.rows && column < m_layout.columns && isCell(row, column);
}

void CellGrid::ensureVisible()
{
    const QRect cell = cellRect(m_row, m_column).adjusted(-3, -3, 3, 3);
    const auto move = [](QScrollBar* bar, int before, int after) {
        if (before < 0)
            bar->setValue(bar->value() + before);
        else if (after > 0)
            bar->setValue(bar->value() + after);
    };
    move(verticalScrollBar(), cell.top() - m_layout.headerHeight, cell.bottom() - viewport()->height());
    move(horizontalScrollBar(), cell.left() - m_layout.headerWidth, cell.right() - viewport()->width());
}

void CellGrid::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    m_cache.dropWaiting();
    if (m_layout.rows == 0)
        return;
    const int lastRow = std::min(m_layout.rows - 1, (verticalScrollBar()->value() + viewport()->height()) / rowPitch());
    const int firstColumn = std::max(0, horizontalScrollBar()->value() / columnPitch() - 1);
    const int lastColumn = std::min(m_layout.columns - 1, (horizontalScrollBar()->value() + viewport()->width()) / columnPitch());
    for (int row = firstVisibleRow(); row <= lastRow; ++row) {
        for (int column = firstColumn; column <= lastColumn; ++column) {
            const QRect cell = cellRect(row, column);
            if (!cell.intersects(viewport()->rect()))
                continue;
            if (row == m_row && column == m_column) {
                painter.setPen(QPen(palette().color(hasFocus() ? QPalette::Highlight : QPalette::Mid), 2));
                painter.setBrush(Qt::NoBrush);
                painter.drawRect(cell.adjusted(-2, -2, 2, 2));
            }
            if (hasContent(row, column))
                paintCell(painter, cell, row, column);
        }
    }
    paintHeaders(painter);
}

QString CellGrid::inTwoLines(const QString& text, const QFontMetrics& metrics, int room)
{
    QStringList lines = text.split(QLatin1Char('\n'));
    if (lines.size() == 1 && metrics.horizontalAdvance(text.left(kMostShown)) > room) {
        qsizetype end = 0;
        for (qsizetype space = text.indexOf(QLatin1Char(' ')); space > 0 && metrics.horizontalAdvance(text.left(space)) <= room;
             space = text.indexOf(QLatin1Char(' '), space + 1))
            end = space;
        if (end > 0)
            lines = {text.left(end), text.mid(end + 1)};
    }
    for (QString& line : lines)
        line = metrics.elidedText(line.left(kMostShown), Qt::ElideRight, room);
    return lines.join(QLatin1Char('\n'));
}

void CellGrid::paintLoaded(QPainter& painter, const QRect& area, const LoadedImage* image, const QRect& part)
{
    const QRect source = image && !part.isNull() ? part.intersected(image->pixels.rect()) : image ? image->pixels.rect() : QRect();
    if (!source.isEmpty()) {
        const double ratio = devicePixelRatioF();
        const QRectF target
            = imageRect(source.size(), {area.x() * ratio, area.y() * ratio, area.width() * ratio, area.height() * ratio});
        painter.save();
        painter.scale(1 / ratio, 1 / ratio);
        painter.setRenderHint(QPainter::SmoothPixmapTransform, target.width() < source.width());
        painter.drawImage(target, image->pixels, source);
        painter.restore();
        return;
    }
    painter.fillRect(area, palette().color(QPalette::AlternateBase));
    if (!image)
        return;
    painter.setPen(fadedText(palette()));
    drawWrapped(painter, area.adjusted(6, 6, -6, -6), image->error);
}

bool CellGrid::moveBy(int key)
{
    const int page = std::max(1, (viewport()->height() - m_layout.headerHeight) / rowPitch());
    switch (key) {
    case Qt::Key_Left:
        setCurrent(m_row, m_column - 1);
        return true;
    case Qt::Key_Right:
        setCurrent(m_row, m_column + 1);
        return true;
    case Qt::Key_Up:
        setCurrent(m_row - 1, m_column);
        return true;
    case Qt::Key_Down:
        setCurrent(m_row + 1, m_column);
        return true;
    case Qt::Key_PageUp:
        setCurrent(m_row - page, m_column);
        return true;
    case Qt::Key_PageDown:
        setCurrent(m_row + page, m_column);
        return true;
    case Qt::Key_Home:
        setCurrent(0, m_column);
        return true;
    case Qt::Key_End:
        setCurrent(m_layout.rows - 1, m_column);
        return true;
    default:
        return false;
    }
}

void CellGrid::keyPressEvent(QKeyEvent* event)
{
    const bool opens = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (opens && isCurrentThere() && hasContent(m_row, m_column))
        Q_EMIT opened();
    else if (!opens && !moveBy(event->key()))
        QAbstractScrollArea::keyPressEvent(event);
}

void CellGrid::mousePressEvent(QMouseEvent* event)
{
    int row = 0, column = 0;
    if (cellAt(event->position().toPoint(), row, column))
        setCurrent(row, column);
}

void CellGrid::mouseDoubleClickEvent(QMouseEvent* event)
{
    int row = 0, column = 0;
    if (cellAt(event->position().toPoint(), row, column) && hasContent(row, column))
        Q_EMIT opened();
}

bool CellGrid::viewportEvent(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QAbstractScrollArea::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    int row = 0, column = 0;
    if (!cellAt(help->pos(), row, column) || !hasContent(row, column)) {
        QToolTip::hideText();
        return true;
    }
    const LoadedImage* const image = picture(row, column);
    const QString why = image && !image->error.isEmpty() ? QLatin1Char('\n') + image->error : QString();
    QToolTip::showText(help->globalPos(), plainToolTip(description(row, column) + why), viewport(), cellRect(row, column));
    return true;
}

void CellGrid::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    layOutCells();
}

void CellGrid::scrollContentsBy(int, int) { viewport()->update(); }

void CellGrid::focusInEvent(QFocusEvent*) { viewport()->update(); }

void CellGrid::focusOutEvent(QFocusEvent*) { viewport()->update(); }

void CellGrid::changeEvent(QEvent* event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        layOutCells();
}

}  // namespace ui
