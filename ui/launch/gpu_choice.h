// The machine's GPUs with tick boxes: those that are ticked are the draft's launch.gpus, one for each rank.
#pragma once
#include "ui/gpus/gpu_watch.h"

#include <QWidget>

#include <string>
#include <vector>

class QLabel;
class QTreeWidget;

namespace ui {

class Draft;

/// What it shows is up to date while it is visible. Without GPUs it is one line that says so.
class GpuChoice : public QWidget {
    Q_OBJECT
public:
    /// @param draft must outlive this.
    explicit GpuChoice(Draft& draft, QWidget* parent = nullptr);

    const launcher::GpuList& list() const { return m_watch.list(); }

Q_SIGNALS:
    void read();  ///< the driver has answered

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void fill();
    void showChoice();
    void choose();
    std::vector<std::string> uuids() const;

    Draft& m_draft;
    QLabel* m_note;
    QTreeWidget* m_tree;
    GpuWatch m_watch;
    bool m_isFilling = false;  ///< the boxes change by themselves, not by the user
};

}  // namespace ui
