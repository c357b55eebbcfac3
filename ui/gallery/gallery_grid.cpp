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
constexpr int kMinCellWidth = 120;
constexpr int kMinRoundCellWidth = 84;  ///< so that best and worst stand side by side in a narrow window too
constexpr int kMaxCellWidth = 240;
constexpr int kMinCellHeight = 44;
constexpr qint64 kCacheBytes = 96LL << 20;

QString promptTitle(Extreme extreme)
{
    return extreme == Extreme::BestOfBest || extreme == Extreme::WorstOfBest ? GalleryGrid::tr("Best prompt")
                                                                            : GalleryGrid::tr("Worst prompt");
}

QString sampleTitle(Extreme extreme)
{
    return extreme == Extreme::BestOfBest || extreme == Extreme::BestOfWorst ? GalleryGrid::tr("best sample")
                                                                            : GalleryGrid::tr("worst sample");
}

QString placeText(std::int64_t place, std::int64_t count)
{
    if (place == 1)
        return GalleryGrid::tr("best of %1").arg(formatCount(count));
    if (place == count)
        return GalleryGrid::tr("worst of %1").arg(formatCount(count));
    return GalleryGrid::tr("%1 of %2").arg(formatCount(place), formatCount(count));
}

/// "watched 0.8714", or as much of it as fits: a number is shown whole or not at all.
QString watchedText(double reward, const QFontMetrics& metrics, int room)
{
    for (const QString& text : {GalleryGrid::tr("watched %1").arg(formatNumber(reward)), GalleryGrid::tr("watched %1").arg(formatNumber(reward, 3)),
             formatNumber(reward), formatNumber(reward, 3)}) {
        if (metrics.horizontalAdvance(text) <= room)
            return text;
    }
    return {};
}

}  // namespace

QString rewardText(const storage::Standing& standing)
{
    QString text = GalleryGrid::tr("reward %1, %2").arg(formatNumber(standing.reward), placeText(standing.place, standing.samples));
    if (standing.goldReward)
        text += GalleryGrid::tr("\nwatched reward %1").arg(formatNumber(*standing.goldReward));
    return text
        + GalleryGrid::tr("\nmean of the prompt %1, %2")
              .arg(formatNumber(standing.promptReward), placeText(standing.promptPlace, standing.prompts));
}

QString columnTitle(const SampleColumn& column)
{
    if (column.extreme)
        return GalleryGrid::tr("%1: %2").arg(promptTitle(*column.extreme), sampleTitle(*column.extreme));
    QStringList parts;
    parts << (column.prompt.empty() ? GalleryGrid::tr("without a prompt") : QString::fromStdString(column.prompt));
    parts << GalleryGrid::tr("seed %1").arg(column.seed);
    parts << GalleryGrid::tr("guidance %1").arg(formatNumber(column.guidance));
    return parts.join(QStringLiteral(" · "));
}

QRectF imageRect(const QSize& size, const QRectF& area)
{
    const double fit = std::min(area.width() / size.width(), area.height() / size.height());
    const double scale = fit >= 1 ? std::floor(fit) : fit;
    const QSizeF scaled(std::round(size.width() * scale), std::round(size.height() * scale));
    return {std::round(area.x() + (area.width() - scaled.width()) / 2),
        std::round(area.y() + (area.height() - scaled.height()) / 2), scaled.width(), scaled.height()};
}

GalleryGrid::GalleryGrid(QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_cache({2 * kMaxCellWidth, 2 * kMaxCellWidth}, kCacheBytes)
{
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    viewport()->setBackgroundRole(QPalette::Base);
    setAccessibleName(tr("Samples"));
    verticalScrollBar()->setSingleStep(40);
    horizontalScrollBar()->setSingleStep(40);
    connect(&m_cache, &ImageCache::loaded, this, &GalleryGrid::adoptImageSize);
    layOutCells();
}

void GalleryGrid::layOutCells()
{
    const QFontMetrics metrics(font());
    const bool isOfRounds = m_grid.kind() == SampleKind::OfRound;
    m_headerHeight = metrics.height() * (isOfRounds ? 2 : 1) + 12;
    m_captionHeight = isOfRounds ? (m_hasWatched ? 3 : 2) * metrics.height() + 10 : 0;
    const std::int64_t lastStep = m_grid.isEmpty() ? 0 : m_grid.step(m_grid.rows() - 1);
    m_headerWidth = metrics.horizontalAdvance(formatCount(std::max<std::int64_t>(lastStep, isOfRounds ? 10'000 : 1'000'000))) + 16;
    const int columns = std::max(1, m_grid.columns());
    m_cellWidth = std::clamp((viewport()->width() - m_headerWidth) / columns - kGap, isOfRounds ? kMinRoundCellWidth : kMinCellWidth,
        kMaxCellWidth);
    // Wide images get cells that are lower than a square.
    const double part = m_imageSize.isEmpty() ? 1 : double(m_imageSize.height()) / m_imageSize.width();
    m_cellHeight = std::clamp(static_cast<int>(m_cellWidth * part), kMinCellHeight, m_cellWidth);
    updateScrollBars();
}

void GalleryGrid::adoptImageSize(const QString& file)
{
    const LoadedImage* image = m_cache.find(file);
    if (image && !image->pixels.isNull() && m_imageSize.isEmpty()) {
        m_imageSize = image->pixels.size();
        layOutCells();
        ensureVisible();
    }
    viewport()->update();
}

/// From the top of a row to that of the next.
int GalleryGrid::rowPitch() const { return m_cellHeight + m_captionHeight + kGap; }

void GalleryGrid::updateScrollBars()
{
    const int wide = m_headerWidth + m_grid.columns() * (m_cellWidth + kGap);
    const int high = m_headerHeight + m_grid.rows() * rowPitch();
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
        m_imageSize = {};
    m_runId = runId;
    m_runFolder = runFolder;
    m_grid = std::move(grid);
    m_hasWatched = m_grid.hasWatchedRewards();
    m_cache.recheck();
    layOutCells();
    viewport()->update();
    const int row = wasNewest ? m_grid.rows() - 1 : m_grid.rowOf(step).value_or(0);
    m_row = -1;  // so that currentChanged() is emitted even when row and column stay the same
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
        setAccessibleDescription(sample->standing
                ? tr("%1, round %2, %3, %4").arg(columnTitle(m_grid.column(m_column)), formatCount(sample->standing->round),
                    QString::fromStdString(sample->prompt), rewardText(*sample->standing))
                : tr("%1, step %2").arg(columnTitle(m_grid.column(m_column)), formatCount(sample->step)));
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
    // A journal may contain any path; files outside the run folder are never opened.
    const QString path = QDir::cleanPath(QString::fromStdString(sample.file));
    if (QDir::isAbsolutePath(path) || path.startsWith(QLatin1String("..")))
        return {};
    return m_runFolder + QLatin1Char('/') + path;
}

QRect GalleryGrid::cellRect(int row, int column) const
{
    return {m_headerWidth + column * (m_cellWidth + kGap) - horizontalScrollBar()->value(),
        m_headerHeight + row * rowPitch() - verticalScrollBar()->value(), m_cellWidth, m_cellHeight + m_captionHeight};
}

bool GalleryGrid::cellAt(const QPoint& position, int& row, int& column) const
{
    if (position.x() < m_headerWidth || position.y() < m_headerHeight)
        return false;
    row = (position.y() - m_headerHeight + verticalScrollBar()->value()) / rowPitch();
    column = (position.x() - m_headerWidth + horizontalScrollBar()->value()) / (m_cellWidth + kGap);
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
    move(verticalScrollBar(), cell.top() - m_headerHeight, cell.bottom() - viewport()->height());
    move(horizontalScrollBar(), cell.left() - m_headerWidth, cell.right() - viewport()->width());
}

void GalleryGrid::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    m_cache.dropWaiting();
    if (m_grid.isEmpty())
        return;
    const int pitch = m_cellWidth + kGap;
    const int firstRow = std::max(0, verticalScrollBar()->value() / rowPitch() - 1);
    const int lastRow = std::min(m_grid.rows() - 1, (verticalScrollBar()->value() + viewport()->height()) / rowPitch());
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
    paintImage(painter, cell.adjusted(0, 0, 0, -m_captionHeight), *sample);
    if (sample->standing)
        paintCaption(painter, QRect(cell.left(), cell.bottom() + 1 - m_captionHeight, cell.width(), m_captionHeight), *sample);
}

void GalleryGrid::paintImage(QPainter& painter, const QRect& cell, const storage::SampleRow& sample)
{
    const QString file = fileOf(sample);
    const LoadedImage* const image = file.isEmpty() ? nullptr : m_cache.find(file);
    if (image && !image->pixels.isNull()) {
        const double ratio = devicePixelRatioF();
        const QRectF area(cell.x() * ratio, cell.y() * ratio, cell.width() * ratio, cell.height() * ratio);
        const QRectF target = imageRect(image->pixels.size(), area);
        painter.save();
        painter.scale(1 / ratio, 1 / ratio);
        painter.setRenderHint(QPainter::SmoothPixmapTransform, target.width() < image->pixels.width());
        painter.drawImage(target, image->pixels);
        painter.restore();
        return;
    }
    painter.fillRect(cell, palette().color(QPalette::AlternateBase));
    if (!image)
        return;
    painter.setPen(fadedText(palette()));
    painter.drawText(cell.adjusted(6, 6, -6, -6), Qt::AlignCenter | Qt::TextWordWrap, image->error);
}

void GalleryGrid::paintCaption(QPainter& painter, const QRect& area, const storage::SampleRow& sample) const
{
    const QFontMetrics metrics(font());
    QFont bold = font();
    bold.setBold(true);
    QRect line(area.left(), area.top() + 3, area.width(), metrics.height());
    painter.setFont(bold);
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, formatNumber(sample.standing->reward));
    painter.setFont(font());
    painter.setPen(fadedText(palette()));
    const auto addLine = [&](const QString& text) {
        line.translate(0, metrics.height());
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(text, Qt::ElideRight, line.width()));
    };
    if (m_hasWatched)
        addLine(sample.standing->goldReward ? watchedText(*sample.standing->goldReward, metrics, line.width()) : QString());
    addLine(QString::fromStdString(sample.prompt).simplified());
}

void GalleryGrid::paintHeaders(QPainter& painter) const
{
    const QColor base = palette().color(QPalette::Base);
    const QFontMetrics metrics(font());
    painter.fillRect(0, 0, viewport()->width(), m_headerHeight - 3, base);
    painter.fillRect(0, 0, m_headerWidth - 3, viewport()->height(), base);
    for (int column = 0; column < m_grid.columns(); ++column) {
        const QRect cell = cellRect(0, column);
        if (cell.right() < m_headerWidth || cell.left() > viewport()->width())
            continue;
        painter.setClipRect(m_headerWidth, 0, viewport()->width() - m_headerWidth, m_headerHeight);
        painter.setPen(column == m_column ? palette().color(QPalette::Text) : fadedText(palette()));
        const SampleColumn& key = m_grid.column(column);
        const QStringList lines = key.extreme ? QStringList {promptTitle(*key.extreme), sampleTitle(*key.extreme)}
                                              : QStringList {columnTitle(key)};
        QStringList titles;
        for (const QString& line : lines)
            titles << metrics.elidedText(line, Qt::ElideRight, m_cellWidth);
        painter.drawText(QRect(cell.left(), 0, m_cellWidth, m_headerHeight), Qt::AlignLeft | Qt::AlignVCenter,
            titles.join(QLatin1Char('\n')));
    }
    painter.setClipRect(0, m_headerHeight - 3, m_headerWidth, viewport()->height());
    const int first = std::max(0, verticalScrollBar()->value() / rowPitch() - 1);
    for (int row = first; row < m_grid.rows(); ++row) {
        const QRect cell = cellRect(row, 0);
        if (cell.top() > viewport()->height())
            break;
        painter.setPen(row == m_row ? palette().color(QPalette::Text) : fadedText(palette()));
        painter.drawText(QRect(0, cell.top(), m_headerWidth - 10, m_cellHeight), Qt::AlignRight | Qt::AlignVCenter,
            formatCount(m_grid.step(row)));
    }
    painter.setClipping(false);
    painter.setPen(fadedText(palette()));
    painter.drawText(QRect(0, 0, m_headerWidth - 10, m_headerHeight), Qt::AlignRight | Qt::AlignVCenter,
        m_grid.kind() == SampleKind::OfRound ? tr("round") : tr("step"));
}

void GalleryGrid::keyPressEvent(QKeyEvent* event)
{
    const int page = std::max(1, (viewport()->height() - m_headerHeight) / rowPitch());
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
    layOutCells();
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
        layOutCells();
}

}  // namespace ui
