#include "ui/gallery/gallery_grid.h"

#include "ui/base/format.h"
#include "ui/base/look.h"
#include "ui/gallery/sample_text.h"

#include <QDir>
#include <QPainter>

#include <algorithm>

namespace ui {
namespace {

constexpr int kMinCellWidth = 72;
constexpr int kMinRoundCellWidth = 84;  ///< so that best and worst stand side by side in a narrow window too
constexpr int kMaxCellWidth = 240;
constexpr int kMinCellHeight = 44;
constexpr double kSupersededPart = 0.4;  ///< of the colours of samples that a later attempt has superseded, as in the plots

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

QString sampleFile(const QString& runFolder, const storage::SampleRow& sample)
{
    // A journal may contain any path; files outside the run folder are never opened.
    const QString path = QDir::cleanPath(QString::fromStdString(sample.file));
    if (QDir::isAbsolutePath(path) || path.startsWith(QLatin1String("..")))
        return {};
    return runFolder + QLatin1Char('/') + path;
}

GalleryGrid::GalleryGrid(QWidget* parent)
    : CellGrid({2 * kMaxCellWidth, 2 * kMaxCellWidth}, parent)
{
    setAccessibleName(tr("Samples"));
    connect(&cache(), &ImageCache::loaded, this, &GalleryGrid::adoptImageSize);
    layOutCells();
}

int GalleryGrid::captionHeight() const
{
    return m_grid.kind() == SampleKind::OfRound ? (m_hasWatched ? 3 : 2) * fontMetrics().height() + 10 : 0;
}

CellGrid::Layout GalleryGrid::arrangement() const
{
    const QFontMetrics metrics(font());
    const bool isOfRounds = m_grid.kind() == SampleKind::OfRound;
    const std::int64_t lastStep = m_grid.isEmpty() ? 0 : m_grid.step(m_grid.rows() - 1);
    const int headerWidth = metrics.horizontalAdvance(formatCount(std::max<std::int64_t>(lastStep, isOfRounds ? 10'000 : 1'000'000))) + 16;
    const int width = std::clamp((viewport()->width() - headerWidth) / std::max(1, m_grid.columns()) - kGap,
        isOfRounds ? kMinRoundCellWidth : kMinCellWidth, kMaxCellWidth);
    const bool hasTwoLines = isOfRounds
        || std::ranges::any_of(m_headers, [&](const QString& header) { return metrics.horizontalAdvance(header) > width; });
    // Wide images get cells that are lower than a square.
    const double part = m_imageSize.isEmpty() ? 1 : double(m_imageSize.height()) / m_imageSize.width();
    const int height = std::clamp(static_cast<int>(width * part), kMinCellHeight, width);
    return {.rows = m_grid.rows(),
        .columns = m_grid.columns(),
        .cell = {width, height + captionHeight()},
        .headerWidth = headerWidth,
        .headerHeight = metrics.height() * (hasTwoLines ? 2 : 1) + 12};
}

void GalleryGrid::adoptImageSize(const QString& file)
{
    const LoadedImage* image = m_imageSize.isEmpty() ? cache().find(file) : nullptr;
    if (!image || image->pixels.isNull())
        return;
    m_imageSize = image->pixels.size();
    layOutCells();
    ensureVisible();
}

void GalleryGrid::setGrid(const QString& runId, const QString& runFolder, SampleGrid grid)
{
    const bool isOther = runId != m_runId;
    const bool wasNewest = isOther || m_grid.isEmpty() || currentRow() + 1 >= m_grid.rows();
    const std::int64_t step = m_grid.isEmpty() ? 0 : m_grid.step(std::min(currentRow(), m_grid.rows() - 1));
    const SampleColumn column = m_grid.isEmpty() ? SampleColumn {} : m_grid.column(currentColumn());
    if (isOther)
        m_imageSize = {};
    m_runId = runId;
    m_runFolder = runFolder;
    m_grid = std::move(grid);
    m_headers = columnHeaders(m_grid);
    m_hasWatched = m_grid.hasWatchedRewards();
    cache().recheck();
    layOutCells();
    resetCurrent(wasNewest ? m_grid.rows() - 1 : m_grid.rowOf(step).value_or(0), isOther ? 0 : m_grid.columnOf(column).value_or(0));
}

QString GalleryGrid::description(int row, int column) const
{
    const auto* sample = m_grid.sample(row, column);
    if (!sample)
        return tr("%1, step %2").arg(columnTitle(m_grid.column(column)), formatCount(m_grid.step(row)));
    if (!sample->standing)
        return promptText(*sample) + QLatin1Char('\n') + settingsText(*sample);
    return tr("%1, round %2, %3, %4").arg(columnTitle(m_grid.column(column)), formatCount(sample->standing->round),
        QString::fromStdString(sample->prompt), rewardText(*sample->standing)) + supersededText(*sample);
}

const LoadedImage* GalleryGrid::picture(int row, int column)
{
    const QString file = sampleFile(m_runFolder, *m_grid.sample(row, column));
    return file.isEmpty() ? nullptr : cache().find(file);
}

const storage::SampleRow* GalleryGrid::currentSample() const
{
    return m_grid.isEmpty() ? nullptr : m_grid.sample(currentRow(), currentColumn());
}

QString GalleryGrid::currentFile() const
{
    const auto* sample = currentSample();
    return sample ? sampleFile(m_runFolder, *sample) : QString();
}

void GalleryGrid::paintCell(QPainter& painter, const QRect& cell, int row, int column)
{
    const storage::SampleRow& sample = *m_grid.sample(row, column);
    const QRect area = cell.adjusted(0, 0, 0, -captionHeight());
    painter.setOpacity(sample.isSuperseded ? kSupersededPart : 1);
    paintLoaded(painter, area, picture(row, column));
    painter.setOpacity(1);
    if (sample.isSuperseded) {
        painter.setPen(QPen(fadedText(palette()), 1, Qt::DashLine));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(area.adjusted(0, 0, -1, -1));
    }
    if (sample.standing)
        paintCaption(painter, QRect(cell.left(), cell.bottom() + 1 - captionHeight(), cell.width(), captionHeight()), sample);
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
    const auto [rows, columns, cellSize, headerWidth, headerHeight] = arranged();
    painter.fillRect(0, 0, viewport()->width(), headerHeight - 3, base);
    painter.fillRect(0, 0, headerWidth - 3, viewport()->height(), base);
    painter.setClipRect(headerWidth, 0, viewport()->width() - headerWidth, headerHeight);
    for (int column = 0; column < columns; ++column) {
        const QRect cell = cellRect(0, column);
        if (cell.right() < headerWidth || cell.left() > viewport()->width())
            continue;
        painter.setPen(column == currentColumn() ? palette().color(QPalette::Text) : fadedText(palette()));
        painter.drawText(QRect(cell.left(), 0, cell.width(), headerHeight), Qt::AlignLeft | Qt::AlignVCenter,
            inTwoLines(m_headers[column], QFontMetrics(font()), cell.width()));
    }
    painter.setClipRect(0, headerHeight - 3, headerWidth, viewport()->height());
    for (int row = firstVisibleRow(); row < rows; ++row) {
        const QRect cell = cellRect(row, 0);
        if (cell.top() > viewport()->height())
            break;
        painter.setPen(row == currentRow() ? palette().color(QPalette::Text) : fadedText(palette()));
        painter.drawText(QRect(0, cell.top(), headerWidth - 10, cell.height() - captionHeight()), Qt::AlignRight | Qt::AlignVCenter,
            formatCount(m_grid.step(row)));
    }
    painter.setClipping(false);
    painter.setPen(fadedText(palette()));
    painter.drawText(QRect(0, 0, headerWidth - 10, headerHeight), Qt::AlignRight | Qt::AlignVCenter,
        m_grid.kind() == SampleKind::OfRound ? tr("round") : tr("step"));
}

}  // namespace ui
