// The tab Data: the images or videos that the inspected run is trained on, with their captions, and what was left out and why.
#pragma once
#include "ui/base/action_registry.h"
#include "ui/base/cancellable_work.h"
#include "ui/base/selection.h"
#include "ui/data/data_grid.h"
#include "ui/store/paced_query.h"

#include <QTimer>
#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;

namespace ui {

class DataDetails;
class ViewFrame;

class DataView : public QWidget {
    Q_OBJECT
public:
    /// Registers its actions, "data.alone" …, in @p actions. All must outlive this.
    DataView(StoreService& service, Selection& selection, ActionRegistry& actions, QWidget* parent = nullptr);
    ~DataView() override;

    DataGrid& grid() { return *m_grid; }
    DataDetails& details() { return *m_details; }
    QString summary() const;

    DataFilter filter() const;
    void setFilter(const DataFilter& filter);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeBar();
    void registerActions();
    void showEntry();
    void read(const QString& runId, const QString& folder);
    void cancel();
    void takeList(const QString& runId, std::shared_ptr<const DataList> list);
    void offerFilters();
    void applyFilter();
    void showState();
    void setFullSize(bool isFull);

    Selection& m_selection;
    ActionRegistry& m_actions;
    PacedQuery* m_query;
    QComboBox* m_kind = nullptr;
    QComboBox* m_bucket = nullptr;
    QLineEdit* m_text = nullptr;
    QLabel* m_summary = nullptr;
    QWidget* m_left;  ///< bar and grid
    DataGrid* m_grid;
    DataDetails* m_details;
    ViewFrame* m_frame;
    QTimer m_typing;
    std::shared_ptr<const DataList> m_list;
    QString m_listedRun;     ///< the run of m_list; empty: none has been read
    QString m_folder;        ///< of the run
    CancellableWork m_reading;
    bool m_isCancelled = false;  ///< the reading of the list
    int m_filtering = 0;     ///< the same for filters
    bool m_isFullSize = false;
};

}  // namespace ui
