// Paints a grid of samples, only the cells in sight, with one current cell.
#pragma once
#include "ui/gallery/picture_cache.h"
#include "ui/gallery/sample_grid.h"

#include <QAbstractScrollArea>
#include <QString>

namespace ui {

class GalleryGrid : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit GalleryGrid(QWidget* parent = nullptr);

    /// Keeps the current cell; when it was the newest, goes on to the now newest.
    void setGrid(const QString& runId, const QString& runFolder, SampleGrid grid);
    const SampleGrid& grid() const { return m_grid; }

    int currentRow() const { return m_row; }
    int currentColumn() const { return m_column; }
    void setCurrent(int row, int column);
    const storage::SampleRow* currentSample() const;
    QString currentFile() const;  ///< empty: none

    PictureCache& cache() { return m_cache; }

Q_SIGNALS:
    void currentChanged();
    void opened();  ///< Space, Return or a double click

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void changeEvent(QEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    void measure();
    void takeShape(const QString& file);
    void updateScrollBars();
    void ensureVisible();
    QRect cellRect(int row, int column) const;  ///< in the viewport
    bool cellAt(const QPoint& position, int& row, int& column) const;
    void paintHeaders(QPainter& painter) const;
    void paintCell(QPainter& painter, int row, int column);
    QString fileOf(const storage::SampleRow& sample) const;

    SampleGrid m_grid;
    QString m_runId;
    QString m_runFolder;
    PictureCache m_cache;
    int m_row = 0;
    int m_column = 0;
    int m_cell = 120;   ///< width of a picture
    int m_high = 120;   ///< its height: less for pictures that are wide
    QSize m_shape;      ///< of the pictures, as far as is known
    int m_left = 60;    ///< width of the steps' column
    int m_top = 24;     ///< height of the prompts' row
};

/// "a 7 · seed 3 · guidance 2.5", without what is not set.
QString columnTitle(const SampleColumn& column);

/// Where a picture of @p size goes in @p area, in device pixels: enlarged by whole factors only, so that each
/// pixel stays a crisp square; reduced to fit.
QRectF pictureRect(const QSize& size, const QRectF& area);

}  // namespace ui
