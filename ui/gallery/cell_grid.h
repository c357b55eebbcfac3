// A scrolled grid of cells of one size, one of which is current. Only visible cells are painted, and only their images are loaded.
#pragma once
#include "ui/gallery/image_cache.h"

#include <QAbstractScrollArea>
#include <QString>

namespace ui {

class CellGrid : public QAbstractScrollArea {
    Q_OBJECT
public:
    int currentRow() const { return m_row; }
    int currentColumn() const { return m_column; }
    /// The nearest cell becomes current and visible.
    void setCurrent(int row, int column);
    /// Moves the current cell as the keys of the arrows, Page Up and Down, Home and End do. @return whether @p key is one of them
    virtual bool moveBy(int key);

    ImageCache& cache() { return m_cache; }

Q_SIGNALS:
    void currentChanged();
    void opened();  ///< the user pressed Space or Return, or double-clicked a cell with content

protected:
    static constexpr int kGap = 8;  ///< between cells

    struct Layout {
        int rows = 0, columns = 0;
        QSize cell = {1, 1};
        int headerWidth = 0, headerHeight = 0;  ///< what does not scroll: a column on the left, a row above
    };

    /// @param bound images are kept in memory no larger than this
    CellGrid(const QSize& bound, QWidget* parent, const ImageLimits& limits = {});

    /// Called by layOutCells().
    virtual Layout arrangement() const = 0;
    virtual void paintCell(QPainter& painter, const QRect& cell, int row, int column) = 0;
    virtual void paintHeaders(QPainter&) const { }
    virtual bool hasContent(int row, int column) const = 0;
    /// Whether the place of a cell may be chosen.
    virtual bool isCell(int /*row*/, int /*column*/) const { return true; }
    /// What a tooltip and a screen reader say of the cell.
    virtual QString description(int row, int column) const = 0;
    /// The picture of a cell with content; null: it has none, or it is not loaded yet.
    virtual const LoadedImage* picture(int row, int column) = 0;

    /// Call when the content has changed; it also runs when the size or the font changes.
    void layOutCells();
    /// Like setCurrent(), but emits currentChanged() also when row and column stay the same.
    void resetCurrent(int row, int column);
    void ensureVisible();
    const Layout& arranged() const { return m_layout; }
    QRect cellRect(int row, int column) const;  ///< in the viewport
    int firstVisibleRow() const;
    /// @p text in two lines: the words that fit go above, the rest below. What does not fit is elided; lines that it has are kept.
    static QString inTwoLines(const QString& text, const QFontMetrics& metrics, int room);
    /// Paints @p image, or a part of it, within @p area: crisp when it is enlarged; a plain area while it is null; or why it cannot be shown.
    void paintLoaded(QPainter& painter, const QRect& area, const LoadedImage* image, const QRect& part = {});

    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void changeEvent(QEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    bool viewportEvent(QEvent* event) override;

private:
    int rowPitch() const { return m_layout.cell.height() + kGap; }
    int columnPitch() const { return m_layout.cell.width() + kGap; }
    bool cellAt(const QPoint& position, int& row, int& column) const;
    bool isCurrentThere() const { return m_row >= 0 && m_row < m_layout.rows && m_column < m_layout.columns; }

    ImageCache m_cache;
    Layout m_layout;
    int m_row = 0;
    int m_column = 0;
};

}  // namespace ui
