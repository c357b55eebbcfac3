// Shows samples in a grid of prompts and steps, with one current cell.
#pragma once
#include "ui/gallery/cell_grid.h"
#include "ui/gallery/sample_grid.h"

namespace ui {

class GalleryGrid : public CellGrid {
    Q_OBJECT
public:
    explicit GalleryGrid(QWidget* parent = nullptr);

    /// Replaces the samples. For the same run, the current cell is kept, or moves to the newest row if it was in the
    /// newest row before. For another run, the newest row becomes current.
    void setGrid(const QString& runId, const QString& runFolder, SampleGrid grid);
    const SampleGrid& grid() const { return m_grid; }
    const QString& runId() const { return m_runId; }

    const storage::SampleRow* currentSample() const;
    /// sampleFile() of the current sample; empty when there is none.
    QString currentFile() const;

protected:
    Layout arrangement() const override;
    void paintCell(QPainter& painter, const QRect& cell, int row, int column) override;
    void paintHeaders(QPainter& painter) const override;
    bool hasContent(int row, int column) const override { return m_grid.sample(row, column) != nullptr; }
    QString description(int row, int column) const override;
    const LoadedImage* picture(int row, int column) override;

private:
    void adoptImageSize(const QString& file);
    int captionHeight() const;  ///< of the lines below an image with its reward and prompt, for samples of a round
    void paintCaption(QPainter& painter, const QRect& area, const storage::SampleRow& sample) const;

    SampleGrid m_grid;
    QStringList m_headers;  ///< by column
    QString m_runId;
    QString m_runFolder;
    bool m_hasWatched = false;
    QSize m_imageSize;  ///< of the first image that was loaded; empty until then
};

/// The path of a sample's image; empty when the journal names a file outside the run folder.
QString sampleFile(const QString& runFolder, const storage::SampleRow& sample);

}  // namespace ui
