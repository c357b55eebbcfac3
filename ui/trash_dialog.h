// Lists what is in the trash, restores it, and deletes it for good.
#pragma once
#include "ui/base/cancellable_work.h"
#include "ui/workbench.h"

#include <QDialog>

#include <cstdint>
#include <vector>

class QPushButton;
class QTreeWidget;

namespace ui {

class ViewFrame;

/// Deletes itself when closed.
class TrashDialog : public QDialog {
    Q_OBJECT
public:
    /// @p workbench must outlive this.
    TrashDialog(Workbench& workbench, QWidget* parent);

    QTreeWidget& list() { return *m_list; }
    void restoreSelected();
    /// Asks for confirmation, then deletes what the question names.
    void askEmpty();

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    struct Sized {
        launcher::TrashItem item;
        std::uint64_t bytes = 0;
    };
    QWidget* makeButtons();
    void load();
    void showThere();
    void showItems(std::vector<Sized> items);
    void updateButtons();

    Workbench& m_workbench;
    QTreeWidget* m_list;
    ViewFrame* m_frame;
    QPushButton* m_restore = nullptr;
    QPushButton* m_empty = nullptr;
    std::vector<Sized> m_items;  ///< one for each row of the list
    CancellableWork m_reading;
    bool m_isCancelled = false;
    bool m_isOutdated = false;  ///< the trash changed while its sizes were being added up
};

}  // namespace ui
