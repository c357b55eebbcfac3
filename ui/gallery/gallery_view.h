// The tab Samples: what the inspected run drew, prompt by step.
#pragma once
#include "ui/base/selection.h"
#include "ui/base/store_service.h"
#include "ui/gallery/gallery_grid.h"
#include "ui/gallery/picture_view.h"

#include <QTimer>
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
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeCaption();
    QString shownRun() const;
    void askSoon();
    void ask();
    void showCurrent();
    void showState();

    StoreService& m_service;
    Selection& m_selection;
    GalleryGrid* m_grid;
    PictureView* m_picture;
    QLabel* m_caption = nullptr;
    QToolButton* m_realPixels = nullptr;
    ViewFrame* m_frame;
    PictureCache m_whole;  ///< full-size pictures
    QTimer m_pace;
    QString m_answered;  ///< the run that the grid shows
    QString m_error;
    bool m_isAsking = false;
    bool m_isStale = true;
    bool m_isFullSize = false;
};

}  // namespace ui
