#include "ui/gallery/gallery_grid.h"

#include "ui/base/format.h"
#include "ui/base/look.h"

#include <QDir>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr int kGap = 8;
constexpr int kLeastCell = 120;
constexpr int kMostCell = 240;
constexpr int kLeastHigh = 44;
constexpr qint64 kCacheBytes = 96LL << 20;

}  // namespace

QString columnTitle(const SampleColumn& column)
{
    QStringList parts;
    parts << (column.prompt.empty() ? GalleryGrid::tr("without a prompt") : QString::fromStdString(column.prompt));
    parts << GalleryGrid::tr("seed %1").arg(column.seed);
    parts << GalleryGrid::tr("guidance %1").arg(formatNumber(column.guidance));
    return parts.join(QStringLiteral(" · "));
}

QRectF pictureRect(const QSize& size, const QRectF& area)
{
    const double fit = std::min(area.width() / size.width(), area.height() / size.height());
    const double scale = fit >= 1 ? std::floor(fit) : fit;
    const QSizeF shown(std::round(size.width() * scale), std::round(size.height() * scale));
    return {std::round(area.x() + (area.width() - shown.width()) / 2),
        std::round(area.y() + (area.height() - shown.height()) / 2), shown.width(), shown.height()};
}

GalleryGrid::GalleryGrid(QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_cache({2 * kMostCell, 2 * kMostCell}, kCacheBytes)
{
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    viewport()->setBackgroundRole(QPalette::Base);
    setAccessibleName(tr("Samples"));
    verticalScrollBar()->setSingleStep(40);
    horizontalScrollBar()->setSingleStep(40);
    connect(&m_cache, &PictureCache::loaded, this, &GalleryGrid::takeShape);
    measure();
}

void GalleryGrid::measure()
{
    const QFontMetrics metrics(font());
    m_top = metrics.height() + 12;
    m_left = metrics.horizontalAdvance(QStringLiteral("1,000,000")) + 16;
    const int columns = std::max(1, m_grid.columns());
    m_cell = std::clamp((viewport()->width() - m_left) / columns - kGap, kLeastCell, kMostCell);
    // Pictures wider than high need no square.
    const double part = m_shape.isEmpty() ? 1 : double(m_shape.height()) / m_shape.width();
    m_high = std::clamp(static_cast<int>(m_cell * part), kLeastHigh, m_cell);
    updateScrollBars();
}

void GalleryGrid::takeShape(const QString& file)
{
    const LoadedPicture* picture = m_cache.find(file);
    if (picture && !picture->image.isNull() && m_shape.isEmpty()) {
        m_shape = picture->image.size();
        measure();
        ensureVisible();
    }
    viewport()->update();
}

void GalleryGrid::updateScrollBars()
{
    const int wide = m_left + m_grid.columns() * (m_cell + kGap);
    const int high = m_top + m_grid.rows() * (m_high + kGap);
    horizontalScrollBar()->setPageStep(viewport()->width());
    verticalScrollBar()->setPageStep(viewport()->height());
    horizontalScrollBar()->setRange(0, std::max(0, wide - viewport()->width()));
    verticalScrollBar()->setRange(0, std::max(0, high - viewport()->height()));
}

void GalleryGrid::setGrid(const QString& runId, const QString& runFolder, SampleGrid grid)
{
    const bool isOther = runId != m_runId;
    const bool wasNewest = isOther || m_grid.isEmpty() || m_row + 1 >= m_grid.rows();
    const std::int64_t step = m_grid.isEmpty() ? 0 : m_grid.step(std::min(m_row, m_grid.rows() - 1));
    const SampleColumn column = m_grid.isEmpty() ? SampleColumn {} : m_grid.column(m_column);
    if (isOther)
        m_shape = {};
    m_runId = runId;
    m_runFolder = runFolder;
    m_grid = std::move(grid);
    measure();
    viewport()->update();
    const int row = wasNewest ? m_grid.rows() - 1 : m_grid.rowOf(step).value_or(0);
    m_row = -1;  // so that the current sample is announced even when the numbers stay
    setCurrent(std::max(0, row), isOther ? 0 : m_grid.columnOf(column).value_or(0));
}

void GalleryGrid::setCurrent(int row, int column)
{
    row = std::clamp(row, 0, std::max(0, m_grid.rows() - 1));
    column = std::clamp(column, 0, std::max(0, m_grid.columns() - 1));
    if (row == m_row && column == m_column)
        return;
    m_row = row;
    m_column = column;
    ensureVisible();
    viewport()->update();
    if (const auto* sample = currentSample())
        setAccessibleDescription(
            tr("%1, step %2").arg(columnTitle(m_grid.column(m_column)), formatCount(sample->step)));
    Q_EMIT currentChanged();
}

const storage::SampleRow* GalleryGrid::currentSample() const
{
    return m_grid.isEmpty() ? nullptr : m_grid.sample(m_row, m_column);
}

QString GalleryGrid::currentFile() const
{
    const auto* sample = currentSample();
    return sample ? fileOf(*sample) : QString();
}

QString GalleryGrid::fileOf(const storage::SampleRow& sample) const
{
    // A journal may name anything: never a file outside the run's folder.
    const QString path = QDir::cleanPath(QString::fromStdString(sample.file));
    if (QDir::isAbsolutePath(path) || path.startsWith(QLatin1String("..")))
        return {};
    return m_runFolder + QLatin1Char('/') + path;
}

QRect GalleryGrid::cellRect(int row, int column) const
{
    return {m_left + column * (m_cell + kGap) - horizontalScrollBar()->value(),
        m_top + row * (m_high + kGap) - verticalScrollBar()->value(), m_cell, m_high};
}

bool GalleryGrid::cellAt(const QPoint& position, int& row, int& column) const
{
    if (position.x() < m_left || position.y() < m_top)
        return false;
    row = (position.y() - m_top + verticalScrollBar()->value()) / (m_high + kGap);
    column = (position.x() - m_left + horizontalScrollBar()->value()) / (m_cell + kGap);
    return row < m_grid.rows() && column < m_grid.columns();
}

void GalleryGrid::ensureVisible()
{
    const QRect cell = cellRect(m_row, m_column).adjusted(-3, -3, 3, 3);
    const auto move = [](QScrollBar* bar, int before, int after) {
        if (before < 0)
            bar->setValue(bar->value() + before);
        else if (after > 0)
            bar->setValue(bar->value() + after);
    };
    move(verticalScrollBar(), cell.top() - m_top, cell.bottom() - viewport()->height());
    move(horizontalScrollBar(), cell.left() - m_left, cell.right() - viewport()->width());
}

void GalleryGrid::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    m_cache.dropWaiting();
    if (m_grid.isEmpty())
        return;
    const int pitch = m_cell + kGap;
    const int rowPitch = m_high + kGap;
    const int firstRow = std::max(0, verticalScrollBar()->value() / rowPitch - 1);
    const int lastRow = std::min(m_grid.rows() - 1, (verticalScrollBar()->value() + viewport()->height()) / rowPitch);
    const int firstColumn = std::max(0, horizontalScrollBar()->value() / pitch - 1);
    const int lastColumn
        = std::min(m_grid.columns() - 1, (horizontalScrollBar()->value() + viewport()->width()) / pitch);
    for (int row = firstRow; row <= lastRow; ++row)
        for (int column = firstColumn; column <= lastColumn; ++column)
            paintCell(painter, row, column);
    paintHeaders(painter);
}

void GalleryGrid::paintCell(QPainter& painter, int row, int column)
{
    const QRect cell = cellRect(row, column);
    if (!cell.intersects(viewport()->rect()))
        return;
    const bool isCurrent = row == m_row && column == m_column;
    if (isCurrent) {
        painter.setPen(QPen(palette().color(hasFocus() ? QPalette::Highlight : QPalette::Mid), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(cell.adjusted(-2, -2, 2, 2));
    }
    const auto* sample = m_grid.sample(row, column);
    if (!sample)
        return;
    const QString file = fileOf(*sample);
    const LoadedPicture* picture = m_cache.find(file);
    if (picture && !picture->image.isNull()) {
        const double ratio = devicePixelRatioF();
        const QRectF area(cell.x() * ratio, cell.y() * ratio, cell.width() * ratio, cell.height() * ratio);
        const QRectF target = pictureRect(picture->image.size(), area);
        painter.save();
        painter.scale(1 / ratio, 1 / ratio);
        painter.setRenderHint(QPainter::SmoothPixmapTransform, target.width() < picture->image.width());
        painter.drawImage(target, picture->image);
        painter.restore();
        return;
    }
    painter.fillRect(cell, palette().color(QPalette::AlternateBase));
    if (!picture)
        return;
    painter.setPen(fadedText(palette()));
    painter.drawText(cell.adjusted(6, 6, -6, -6), Qt::AlignCenter | Qt::TextWordWrap, picture->error);
}

void GalleryGrid::paintHeaders(QPainter& painter) const
{
    const QColor base = palette().color(QPalette::Base);
    const QFontMetrics metrics(font());
    painter.fillRect(0, 0, viewport()->width(), m_top - 3, base);
    painter.fillRect(0, 0, m_left - 3, viewport()->height(), base);
    for (int column = 0; column < m_grid.columns(); ++column) {
        const QRect cell = cellRect(0, column);
        if (cell.right() < m_left || cell.left() > viewport()->width())
            continue;
        painter.setClipRect(m_left, 0, viewport()->width() - m_left, m_top);
        painter.setPen(column == m_column ? palette().color(QPalette::Text) : fadedText(palette()));
        const QString title = metrics.elidedText(columnTitle(m_grid.column(column)), Qt::ElideRight, m_cell);
        painter.drawText(QRect(cell.left(), 0, m_cell, m_top), Qt::AlignLeft | Qt::AlignVCenter, title);
    }
    painter.setClipRect(0, m_top - 3, m_left, viewport()->height());
    const int first = std::max(0, verticalScrollBar()->value() / (m_high + kGap) - 1);
    for (int row = first; row < m_grid.rows(); ++row) {
        const QRect cell = cellRect(row, 0);
        if (cell.top() > viewport()->height())
            break;
        painter.setPen(row == m_row ? palette().color(QPalette::Text) : fadedText(palette()));
        painter.drawText(QRect(0, cell.top(), m_left - 10, m_high), Qt::AlignRight | Qt::AlignVCenter,
            formatCount(m_grid.step(row)));
    }
    painter.setClipping(false);
    painter.setPen(fadedText(palette()));
    painter.drawText(QRect(0, 0, m_left - 10, m_top), Qt::AlignRight | Qt::AlignVCenter, tr("step"));
}

void GalleryGrid::keyPressEvent(QKeyEvent* event)
{
    const int page = std::max(1, (viewport()->height() - m_top) / (m_high + kGap));
    switch (event->key()) {
    case Qt::Key_Left:
        return setCurrent(m_row, m_column - 1);
    case Qt::Key_Right:
        return setCurrent(m_row, m_column + 1);
    case Qt::Key_Up:
        return setCurrent(m_row - 1, m_column);
    case Qt::Key_Down:
        return setCurrent(m_row + 1, m_column);
    case Qt::Key_PageUp:
        return setCurrent(m_row - page, m_column);
    case Qt::Key_PageDown:
        return setCurrent(m_row + page, m_column);
    case Qt::Key_Home:
        return setCurrent(0, m_column);
    case Qt::Key_End:
        return setCurrent(m_grid.rows() - 1, m_column);
    case Qt::Key_Space:
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (currentSample())
            Q_EMIT opened();
        return;
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

void GalleryGrid::mousePressEvent(QMouseEvent* event)
{
    int row = 0;
    int column = 0;
    if (cellAt(event->position().toPoint(), row, column))
        setCurrent(row, column);
}

void GalleryGrid::mouseDoubleClickEvent(QMouseEvent* event)
{
    int row = 0;
    int column = 0;
    if (cellAt(event->position().toPoint(), row, column) && currentSample())
        Q_EMIT opened();
}

void GalleryGrid::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    measure();
}

void GalleryGrid::scrollContentsBy(int, int)
{
    viewport()->update();
}

void GalleryGrid::focusInEvent(QFocusEvent*)
{
    viewport()->update();
}

void GalleryGrid::focusOutEvent(QFocusEvent*)
{
    viewport()->update();
}

void GalleryGrid::changeEvent(QEvent* event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        measure();
}

}  // namespace ui
