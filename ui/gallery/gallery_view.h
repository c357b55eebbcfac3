// The tab Samples: the samples that a run generated, in a grid of prompts and steps, with the current one enlarged.
#pragma once
#include "ui/base/paced_query.h"
#include "ui/base/selection.h"
#include "ui/gallery/gallery_grid.h"
#include "ui/gallery/image_view.h"

#include <QWidget>

class QLabel;
class QToolButton;

namespace ui {

class ViewFrame;

class GalleryView : public QWidget {
    Q_OBJECT
public:
    /// Both must outlive this.
    GalleryView(StoreService& service, Selection& selection, QWidget* parent = nullptr);
    ~GalleryView() override;

    GalleryGrid& grid() { return *m_grid; }
    ImageView& image() { return *m_image; }

    bool isFullSize() const { return m_isFullSize; }
    /// Shows the current image alone (true), or the grid and the image side by side.
    void setFullSize(bool isFull);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeCaption();
    QString shownRun() const;
    void showCurrent();
    void showState();

    Selection& m_selection;
    PacedQuery* m_query;
    GalleryGrid* m_grid;
    ImageView* m_image;
    QLabel* m_caption = nullptr;
    QToolButton* m_realPixels = nullptr;
    ViewFrame* m_frame;
    ImageCache m_fullSizeImages;  ///< full-size images
    bool m_isFullSize = false;
};

}  // namespace ui
