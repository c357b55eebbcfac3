// The bars of all GPUs of the machine whose runs the window shows, with a sentence when they are not known any more.
#pragma once
#include "ui/gpus/gpu_watch.h"
#include "ui/runs/runs_model.h"

#include <QWidget>

#include <vector>

class QHBoxLayout;
class QLabel;

namespace ui {

class GpuBar;

class GpuBars : public QWidget {
    Q_OBJECT
public:
    /// Both must outlive this. @param runs whose ranks count as ours
    GpuBars(GpuWatch& watch, const RunsModel& runs, QWidget* parent = nullptr);

    const std::vector<GpuBar*>& bars() const { return m_bars; }
    QString silence() const;  ///< the sentence beside the bars; empty: they are up to date

Q_SIGNALS:
    /// Whether there is any GPU to show.
    void availableChanged(bool isAvailable);
    /// The user wants to see more of a GPU. @param runId a run of ours that has ranks on it; empty: none
    void chosen(int gpu, const QString& runId);

private:
    void showList();
    void showSilence();
    GpuBar* addBar();
    void choose(std::size_t place);

    GpuWatch& m_watch;
    const RunsModel& m_runs;
    QHBoxLayout* m_layout;
    QLabel* m_note;
    std::vector<GpuBar*> m_bars;  ///< of m_watch.list(), in its order
};

}  // namespace ui
