// The tab Samples: the samples that a run generated, in a grid of prompts and steps, with the current one enlarged, or beside that of
// another run for the same prompt and their difference. For a run that is trained by a reward also the best and worst samples of its
// rounds, in a grid of their own.
#pragma once
#include "ui/base/action_registry.h"
#include "ui/base/selection.h"
#include "ui/gallery/beside_run.h"
#include "ui/gallery/gallery_grid.h"
#include "ui/gallery/pair_view.h"
#include "ui/store/paced_query.h"

#include <QWidget>

#include <cstdint>
#include <optional>

class QLabel;
class QStackedWidget;
class QToolButton;

namespace ui {

class FramePlayer;
class ViewFrame;

class GalleryView : public QWidget {
    Q_OBJECT
public:
    /// Registers its actions, "samples.alone" …, in @p actions. All must outlive this.
    GalleryView(StoreService& service, Selection& selection, ActionRegistry& actions, QWidget* parent = nullptr);
    ~GalleryView() override;

    GalleryGrid& grid() { return *m_grid; }         ///< of SampleKind::OfModel
    GalleryGrid& roundsGrid() { return *m_rounds; }  ///< of SampleKind::OfRound
    ImageView& image() { return *m_image; }
    FramePlayer& player() { return *m_player; }
    BesideRun& beside() { return *m_beside; }
    PairView& pair() { return *m_pair; }
    /// What is written below the current sample.
    QString captionText() const;

    /// The grid that is shown. A run without samples of the kind that was chosen shows the others.
    SampleKind shownKind() const;
    void setKind(SampleKind kind);

    /// Reads the samples again, whose files may have come meanwhile.
    void readAgain();

    /// Makes the sample current that is the nearest to @p step, of the same prompt.
    void showStep(std::int64_t step);

    bool isFullSize() const { return m_isFullSize; }
    /// Shows the current image alone (true), or the grid and the image side by side.
    void setFullSize(bool isFull);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeBar();
    QToolButton* addKind(const QString& text, SampleKind kind);
    void registerActions();
    void registerFrames();
    void refreshActions();
    QWidget* makeStage();
    QWidget* makeCaption();
    GalleryGrid& shownGrid() { return shownKind() == SampleKind::OfRound ? *m_rounds : *m_grid; }
    void setupFind();
    void showKind();
    void connectGrid(GalleryGrid& grid);
    QString shownRun() const;
    bool isPaired() const { return m_beside->isOn() && shownKind() == SampleKind::OfModel; }
    void goToStep(std::int64_t step);
    void showCurrent();
    void showAlone(const storage::SampleRow& sample);
    void showPair(const storage::SampleRow& sample);
    PairView::Side sideOf(const QString& run, const storage::SampleRow& sample, const QString& file);
    void showState();

    Selection& m_selection;
    ActionRegistry& m_actions;
    PacedQuery* m_query;
    GalleryGrid* m_grid;
    GalleryGrid* m_rounds;
    QStackedWidget* m_grids;
    QWidget* m_left;      ///< bar and grids
    BesideRun* m_beside;
    QWidget* m_bar = nullptr;  ///< above the grid: the kinds, and m_beside
    QToolButton* m_ofModel = nullptr;
    QToolButton* m_ofRounds = nullptr;
    SampleKind m_kind = SampleKind::OfModel;  ///< as chosen
    QStackedWidget* m_stage;  ///< m_image or m_pair
    ImageView* m_image;
    PairView* m_pair;
    FramePlayer* m_player;
    QLabel* m_caption = nullptr;
    QToolButton* m_realPixels = nullptr;
    ViewFrame* m_frame;
    ImageCache m_fullSizeImages;  ///< full-size images
    bool m_isFullSize = false;
    std::optional<std::int64_t> m_step;  ///< of showStep(), until the samples of the run have been read
};

}  // namespace ui
