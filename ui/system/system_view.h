// The dock System: load, memory, power and temperature of the machine's GPUs and processors while the inspected run ran.
#pragma once
#include "ui/base/selection.h"
#include "ui/base/state_strip.h"
#include "ui/plot/layout/plot_view_state.h"
#include "ui/plot/lines/plot_feed.h"
#include "ui/store/store_service.h"

#include <QWidget>

#include <optional>

namespace ui {

class PlotGrid;

class SystemView : public QWidget {
    Q_OBJECT
public:
    /// Both must outlive this.
    SystemView(StoreService& service, Selection& selection, QWidget* parent = nullptr);
    ~SystemView() override;

    PlotViewState& viewState() { return m_viewState; }
    const PlotGrid& grid() const { return *m_grid; }

    /// Scrolls to the plots of the GPU with NVML's index @p gpu, as soon as those of the inspected run are there.
    void reveal(int gpu);

Q_SIGNALS:
    /// The result of something that the user asked for, in one sentence.
    void statusMessage(const QString& sentence);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void applySelection();
    void applyFeed();
    void showState();
    void scrollToRevealed();

    Selection& m_selection;
    PlotViewState m_viewState;
    PlotFeed m_feed;
    PlotGrid* m_grid;
    ViewFrame* m_frame;
    std::optional<int> m_revealed;  ///< the GPU whose plots are still to be scrolled to
};

}  // namespace ui
