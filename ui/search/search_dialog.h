// The window "Search in all runs".
#pragma once
#include "ui/logs/log_filter.h"
#include "ui/runs/runs_model.h"
#include "ui/search/text_search.h"
#include "ui/store/store_service.h"

#include <QDialog>
#include <QHash>

#include <atomic>
#include <memory>
#include <vector>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace ui {

class ViewFrame;
struct ViewAction;

/// Searches the index first, then the logs of one run after another, newest run first, on other threads. Deletes itself when closed, which ends
/// the search.
class SearchDialog : public QDialog {
    Q_OBJECT
public:
    /// @p service and @p runs must outlive this.
    SearchDialog(StoreService& service, const RunsModel& runs, QWidget* parent);
    ~SearchDialog() override;

    void focusText();
    QString note() const;  ///< the sentence below the list
    bool isSearching() const { return m_isSearching; }

Q_SIGNALS:
    /// The user wants to see what was found, or a run in which something was: it is then found in its name.
    void chosen(const ui::FoundText& found);

private:
    enum Column { Where, Text, ColumnCount };
    QWidget* makeTextRow();
    void start();
    void stop();
    void searchNextLogs();
    void add(const std::vector<FoundText>& found);
    QTreeWidgetItem* itemOf(const QString& runId);
    void choose(QTreeWidgetItem* item);
    void finish(const QString& problem = {});
    ViewAction asPlainText();
    void updateState();

    StoreService& m_service;
    const RunsModel& m_runs;
    QLineEdit* m_text;
    QCheckBox* m_regex;
    QCheckBox* m_logs;
    QPushButton* m_start = nullptr;
    QTreeWidget* m_list;
    ViewFrame* m_frame;
    QLabel* m_note;
    LogFilter m_filter;                       ///< of the present search
    QHash<QString, QTreeWidgetItem*> m_items;  ///< by run
    std::vector<std::pair<QString, QString>> m_left;  ///< ids and folders of runs whose logs are still to be searched, the next one last
    std::size_t m_logsInAll = 0;
    std::vector<FoundText> m_found;           ///< as listed
    bool m_isSearching = false;
    bool m_hasSearched = false;
    QString m_problem;
    std::shared_ptr<std::atomic<bool>> m_isCancelled;  ///< of the present search
};

}  // namespace ui
