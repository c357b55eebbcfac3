// Shows training data as a grid of thumbnails with captions.
#pragma once
#include "ui/data/data_list.h"
#include "ui/gallery/cell_grid.h"

#include <memory>
#include <vector>

namespace ui {

class DataGrid : public CellGrid {
    Q_OBJECT
public:
    explicit DataGrid(QWidget* parent = nullptr);

    /// Shows @p entries, which are indices into the list. The current entry stays current if it is among them.
    void setEntries(std::shared_ptr<const DataList> list, std::vector<int> entries);
    const std::shared_ptr<const DataList>& list() const { return m_list; }
    int shownCount() const { return static_cast<int>(m_entries.size()); }

    /// Place of the current entry among those that are shown.
    int currentPlace() const { return currentRow() * arranged().columns + currentColumn(); }
    void setCurrentPlace(int place);
    const contract::DataEntry* currentEntry() const { return entryAt(currentPlace()); }

    bool moveBy(int key) override;

protected:
    Layout arrangement() const override;
    void paintCell(QPainter& painter, const QRect& cell, int row, int column) override;
    bool hasContent(int row, int column) const override { return entryAt(row, column) != nullptr; }
    bool isCell(int row, int column) const override { return hasContent(row, column); }
    QString description(int row, int column) const override;
    const LoadedImage* picture(int row, int column) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    const contract::DataEntry* entryAt(int place) const;
    const contract::DataEntry* entryAt(int row, int column) const { return entryAt(row * arranged().columns + column); }
    const LoadedImage* pictureOf(const contract::DataEntry& entry);
    void paintPicture(QPainter& painter, const QRect& area, const contract::DataEntry& entry);

    ImageCache m_sheets;  ///< images that hold tiles
    std::shared_ptr<const DataList> m_list;
    std::vector<int> m_entries;
};

}  // namespace ui
