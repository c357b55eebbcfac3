// The machine's GPUs with tick boxes: those that are ticked are the draft's launch.gpus, one for each rank.
#pragma once
#include "launcher/machine/gpus.h"

#include <QTimer>
#include <QWidget>

#include <functional>
#include <string>
#include <vector>

class QLabel;
class QTreeWidget;

namespace ui {

class Draft;

/// Asks NVML in the background, every two seconds while it is visible; another machine every ten. Without GPUs it is one line that says so.
class GpuChoice : public QWidget {
    Q_OBJECT
public:
    /// @param draft must outlive this.
    explicit GpuChoice(Draft& draft, QWidget* parent = nullptr);

    const launcher::GpuList& list() const { return m_list; }

Q_SIGNALS:
    void read();  ///< the driver has answered

protected:
    void showEvent(QShowEvent* event) override;

private:
    void ask();
    void askThere(std::function<void(launcher::GpuList)> take);
    void fill();
    void showChoice();
    void choose();
    std::vector<std::string> uuids() const;

    Draft& m_draft;
    QLabel* m_note;
    QTreeWidget* m_tree;
    QTimer m_timer;
    launcher::GpuList m_list;
    bool m_isAsking = false;
    bool m_isFilling = false;  ///< the boxes change by themselves, not by the user
};

}  // namespace ui
