// Says which checkpoints of runs are kept, lists those that are not, and moves them to the trash.
#pragma once
#include "launcher/home/keep_rules.h"
#include "ui/checkpoint/checkpoint_files.h"
#include "ui/store/store_service.h"

#include <QTimer>
#include <QWidget>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QTableView;

namespace ui {

class RunsModel;
class SurplusModel;
class ViewFrame;
struct Surplus;

class CleanUpPanel : public QWidget {
    Q_OBJECT
public:
    /// @p service and @p runs, which has the names of the runs, must outlive this.
    CleanUpPanel(StoreService& service, const RunsModel& runs, QWidget* parent = nullptr);
    ~CleanUpPanel() override;

    /// What the rules are applied to. @param runs ids @param areAll whether these are all that there are
    void setRuns(std::vector<std::string> runs, bool areAll);

    SurplusModel& model() { return *m_model; }
    /// What cannot be cleaned up, and what was: one or several sentences.
    QString note() const;

Q_SIGNALS:
    /// Checkpoints were moved to the trash, or back.
    void changed();

private:
    QWidget* makeRules();
    QWidget* makeRow();
    launcher::KeepRules rules() const;
    bool hasRule() const;
    void look();
    void showSurplus(const Surplus& surplus);
    void trash();
    void undo();
    void showMoved(const TrashResult& result);
    void finish(const QString& sentence);
    void updateState();

    StoreService& m_service;
    SurplusModel* m_model;
    QTableView* m_table;
    ViewFrame* m_frame;
    QLabel* m_scope = nullptr;
    QCheckBox* m_isLast = nullptr;
    QSpinBox* m_last = nullptr;
    QCheckBox* m_isEvery = nullptr;
    QSpinBox* m_every = nullptr;
    QCheckBox* m_isBest = nullptr;
    QSpinBox* m_bestCount = nullptr;
    QComboBox* m_metric = nullptr;
    QComboBox* m_direction = nullptr;
    QLabel* m_note = nullptr;
    QPushButton* m_move = nullptr;
    QPushButton* m_undo = nullptr;
    std::vector<std::string> m_runs;
    QTimer m_pause;  ///< until the user has typed
    QString m_leftAlone;  ///< what the list leaves out
    QString m_result;     ///< what the last move did
    std::vector<TrashedCheckpoint> m_moved;  ///< by the last move
    std::shared_ptr<std::atomic<bool>> m_isOutdated;  ///< of the search that is running; null: none
    bool m_isCancelled = false;  ///< the last search
    bool m_isMoving = false;
};

}  // namespace ui
