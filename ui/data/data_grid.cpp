#include "ui/data/data_grid.h"

#include "ui/base/look.h"
#include "ui/language/outside_text.h"

#include <QPainter>

#include <algorithm>
#include <utility>

namespace ui {
namespace {

constexpr int kLeastCellWidth = 140;
constexpr int kThumbnail = 320;  ///< on screens of twice the density
constexpr qint64 kSheetBytes = 64LL << 20;

}  // namespace

DataGrid::DataGrid(QWidget* parent)
    : CellGrid({kThumbnail, kThumbnail}, parent, {.links = contract::Links::Follow})
    , m_sheets({}, kSheetBytes)
{
    connect(&m_sheets, &ImageCache::loaded, viewport(), qOverload<>(&QWidget::update));
    setAccessibleName(tr("Training data"));
    layOutCells();
}

const contract::DataEntry* DataGrid::entryAt(int place) const
{
    if (place < 0 || place >= shownCount())
        return nullptr;
    return &m_list->manifest.entries[static_cast<std::size_t>(m_entries[static_cast<std::size_t>(place)])];
}

void DataGrid::setEntries(std::shared_ptr<const DataList> list, std::vector<int> entries)
{
    const contract::DataEntry* const before = currentEntry();
    const std::string file = before ? before->file : std::string();
    const auto tile = before ? before->tile : contract::DataEntry::Tile {};
    const auto old = std::exchange(m_list, std::move(list));
    m_entries = std::move(entries);
    cache().recheck();
    m_sheets.recheck();
    layOutCells();
    const auto same = std::ranges::find_if(m_entries, [&](int index) {
        const contract::DataEntry& entry = m_list->manifest.entries[std::size_t(index)];
        return entry.file == file && entry.tile == tile;
    });
    const int place = file.empty() || same == m_entries.end() ? 0 : static_cast<int>(same - m_entries.begin());
    resetCurrent(place / arranged().columns, place % arranged().columns);
}

void DataGrid::setCurrentPlace(int place)
{
    place = std::clamp(place, 0, std::max(0, shownCount() - 1));
    setCurrent(place / arranged().columns, place % arranged().columns);
}

bool DataGrid::moveBy(int key)
{
    switch (key) {
    case Qt::Key_Left:
        setCurrentPlace(currentPlace() - 1);
        return true;
    case Qt::Key_Right:
        setCurrentPlace(currentPlace() + 1);
        return true;
    case Qt::Key_Home:
        setCurrentPlace(0);
        return true;
    case Qt::Key_End:
        setCurrentPlace(shownCount() - 1);
        return true;
    default:
        const bool isMoved = CellGrid::moveBy(key);
        if (currentPlace() >= shownCount())
            setCurrentPlace(shownCount() - 1);
        return isMoved;
    }
}

CellGrid::Layout DataGrid::arrangement() const
{
    constexpr int kMargin = kGap / 2;
    const int room = viewport()->width() - kMargin;
    const int columns = std::max(1, room / (kLeastCellWidth + kGap));
    const int width = std::max(kLeastCellWidth, room / columns - kGap);
    return {.rows = (shownCount() + columns - 1) / columns,
        .columns = columns,
        .cell = {width, width + 3 * fontMetrics().height() + 6},
        .headerWidth = kMargin,
        .headerHeight = kMargin};
}

void DataGrid::resizeEvent(QResizeEvent* event)
{
    const int place = currentPlace();
    CellGrid::resizeEvent(event);
    setCurrentPlace(place);
}

const LoadedImage* DataGrid::picture(int row, int column)
{
    return pictureOf(*entryAt(row, column));
}

const LoadedImage* DataGrid::pictureOf(const contract::DataEntry& entry)
{
    const QString file = pictureFile(m_list->manifest, entry);
    return file.isEmpty() ? nullptr : (picturePart(entry).isNull() ? cache() : m_sheets).find(file);
}

void DataGrid::paintPicture(QPainter& painter, const QRect& area, const contract::DataEntry& entry)
{
    if (!pictureFile(m_list->manifest, entry).isEmpty())
        return paintLoaded(painter, area, pictureOf(entry), picturePart(entry));
    painter.fillRect(area, palette().color(QPalette::AlternateBase));
    painter.setPen(fadedText(palette()));
    const QString what = entry.isPrecomputed ? tr("Precomputed") : tr("Not an image");
    painter.drawText(area, Qt::AlignCenter | Qt::TextWordWrap, what);
}

void DataGrid::paintCell(QPainter& painter, const QRect& cell, int row, int column)
{
    const contract::DataEntry& entry = *entryAt(row, column);
    const bool isLeftOut = entry.use == contract::DataEntry::Use::LeftOut;
    const QFontMetrics metrics(font());
    paintPicture(painter, {cell.topLeft(), QSize(cell.width(), cell.width())}, entry);
    const QRect lines(cell.left(), cell.top() + cell.width() + 3, cell.width(), 3 * metrics.height());
    const QString text = (isLeftOut ? translatedSentence(entry.reason) : QString::fromStdString(entry.caption)).simplified();
    painter.setPen(isLeftOut ? stateColour(launcher::RunState::Failed, palette())
                             : text.isEmpty() ? fadedText(palette()) : palette().color(QPalette::Text));
    painter.drawText(lines, Qt::AlignLeft | Qt::AlignTop, inTwoLines(text.isEmpty() ? tr("no caption") : text, metrics, cell.width()));
    painter.setPen(fadedText(palette()));
    painter.drawText(lines, Qt::AlignLeft | Qt::AlignBottom, metrics.elidedText(shortFacts(entry), Qt::ElideRight, cell.width()));
}

QString DataGrid::description(int row, int column) const
{
    const contract::DataEntry* const entry = entryAt(row, column);
    if (!entry)
        return {};
    const QString caption = QString::fromStdString(entry->caption).left(1000);
    return caption.isEmpty() ? longFacts(*entry) : caption + QLatin1Char('\n') + longFacts(*entry);
}

}  // namespace ui
