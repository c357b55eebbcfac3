// Shows a grid of samples with one current cell. Paints and loads the visible cells only.
#pragma once
#include "ui/gallery/image_cache.h"
#include "ui/gallery/sample_grid.h"

#include <QAbstractScrollArea>
#include <QString>

namespace ui {

class GalleryGrid : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit GalleryGrid(QWidget* parent = nullptr);

    /// Replaces the samples. For the same run, the current cell is kept, or moves to the newest row if it was in the
    /// newest row before. For another run, the newest row becomes current.
    void setGrid(const QString& runId, const QString& runFolder, SampleGrid grid);
    const SampleGrid& grid() const { return m_grid; }

    int currentRow() const { return m_row; }
    int currentColumn() const { return m_column; }
    void setCurrent(int row, int column);
    const storage::SampleRow* currentSample() const;
    /// The path of the current sample's image; empty when there is no sample, or when the journal names a file
    /// outside the run folder.
    QString currentFile() const;

    ImageCache& cache() { return m_cache; }

Q_SIGNALS:
    void currentChanged();
    void opened();  ///< the user pressed Space or Return, or double-clicked a sample

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
    void layOutCells();
    void adoptImageSize(const QString& file);
    void updateScrollBars();
    int rowPitch() const;
    void ensureVisible();
    QRect cellRect(int row, int column) const;  ///< in the viewport
    bool cellAt(const QPoint& position, int& row, int& column) const;
    void paintHeaders(QPainter& painter) const;
    void paintCell(QPainter& painter, int row, int column);
    void paintImage(QPainter& painter, const QRect& area, const storage::SampleRow& sample);
    void paintCaption(QPainter& painter, const QRect& area, const storage::SampleRow& sample) const;
    QString fileOf(const storage::SampleRow& sample) const;

    SampleGrid m_grid;
    QString m_runId;
    QString m_runFolder;
    ImageCache m_cache;
    int m_row = 0;
    int m_column = 0;
    int m_cellWidth = 120;
    int m_cellHeight = 120;    ///< without the caption; less than the width when the images are wide
    bool m_hasWatched = false;
    int m_captionHeight = 0;   ///< of the lines below an image with its reward and prompt, for samples of a round
    QSize m_imageSize;         ///< of the first image that was loaded; empty until then
    int m_headerWidth = 60;    ///< of the column with the steps
    int m_headerHeight = 24;   ///< of the row with the prompts
};

/// Describes @p standing in lines: "reward 0.932, best of 16", "watched reward 0.911", "mean of the prompt 0.83, best of 4".
QString rewardText(const storage::Standing& standing);

/// "a 7 · seed 3 · guidance 2.5"; of samples of a round "Best prompt: best sample".
QString columnTitle(const SampleColumn& column);

/// The rectangle for an image of @p size, centred in @p area, in device pixels. Enlarges by whole factors only, so
/// that each image pixel stays a sharp square; reduces to fit.
QRectF imageRect(const QSize& size, const QRectF& area);

}  // namespace ui
