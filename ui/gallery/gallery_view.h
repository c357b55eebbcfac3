// The tab Samples: the samples that a run generated, in a grid of prompts and steps, with the current one enlarged. For a run that is
// trained by a reward also the best and worst samples of its rounds, in a grid of their own.
#pragma once
#include "ui/base/paced_query.h"
#include "ui/base/selection.h"
#include "ui/gallery/gallery_grid.h"
#include "ui/gallery/image_view.h"

#include <QWidget>

class QLabel;
class QStackedWidget;
class QToolButton;

namespace ui {

class ViewFrame;

class GalleryView : public QWidget {
    Q_OBJECT
public:
    /// Both must outlive this.
    GalleryView(StoreService& service, Selection& selection, QWidget* parent = nullptr);
    ~GalleryView() override;

    GalleryGrid& grid() { return *m_grid; }         ///< of SampleKind::OfModel
    GalleryGrid& roundsGrid() { return *m_rounds; }  ///< of SampleKind::OfRound
    ImageView& image() { return *m_image; }

    /// The grid that is shown. A run without samples of the kind that was chosen shows the others.
    SampleKind shownKind() const;
    void setKind(SampleKind kind);

    bool isFullSize() const { return m_isFullSize; }
    /// Shows the current image alone (true), or the grid and the image side by side.
    void setFullSize(bool isFull);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeKindBar();
    QWidget* makeCaption();
    GalleryGrid& shownGrid() { return shownKind() == SampleKind::OfRound ? *m_rounds : *m_grid; }
    void showKind();
    void connectGrid(GalleryGrid& grid);
    QString shownRun() const;
    void showCurrent();
    void showState();

    Selection& m_selection;
    PacedQuery* m_query;
    GalleryGrid* m_grid;
    GalleryGrid* m_rounds;
    QStackedWidget* m_grids;
    QWidget* m_left;      ///< kind bar and grids
    QWidget* m_kindBar = nullptr;
    QToolButton* m_ofModel = nullptr;
    QToolButton* m_ofRounds = nullptr;
    SampleKind m_kind = SampleKind::OfModel;  ///< as chosen
    ImageView* m_image;
    QLabel* m_caption = nullptr;
    QToolButton* m_realPixels = nullptr;
    ViewFrame* m_frame;
    ImageCache m_fullSizeImages;  ///< full-size images
    bool m_isFullSize = false;
};

}  // namespace ui
