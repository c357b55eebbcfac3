// The tab Samples: what the inspected run drew, prompt by step.
#pragma once
#include "ui/base/paced_query.h"
#include "ui/base/selection.h"
#include "ui/gallery/gallery_grid.h"
#include "ui/gallery/picture_view.h"

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
    PictureView& picture() { return *m_picture; }

    bool isFullSize() const { return m_isFullSize; }
    /// The current picture alone, in place of grid and picture side by side.
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
    PictureView* m_picture;
    QLabel* m_caption = nullptr;
    QToolButton* m_realPixels = nullptr;
    ViewFrame* m_frame;
    PictureCache m_whole;  ///< full-size pictures
    bool m_isFullSize = false;
};

}  // namespace ui
