// The right end of the status bar: number of active runs, free disk space, age of the last record.
#pragma once
#include "launcher/base/data_home.h"
#include "launcher/remote/mirror.h"
#include "ui/runs/runs_model.h"

#include <QTimer>
#include <QWidget>

#include <filesystem>

class QLabel;

namespace ui {

class StatusStrip : public QWidget {
    Q_OBJECT
public:
    StatusStrip(RunsModel& runs, const launcher::DataHome& home, QWidget* parent = nullptr);

    /// Says that the free space is this machine's, where the runs are those of @p mirror, which must outlive this, and what is known of those.
    void setMirror(const launcher::Mirror& mirror);
    /// @param areKnown whether the runs could be read, so that their states can be counted; false at first
    void setRunsKnown(bool areKnown);

Q_SIGNALS:
    /// Bytes that are free where the runs are kept; negative when they cannot be read.
    void freeSpaceRead(qint64 bytes);

private:
    void countRuns();
    QString activeText(int active, int cutOff) const;
    void queryFreeSpace();

    RunsModel& m_runs;
    std::filesystem::path m_dataFolder;
    const launcher::Mirror* m_mirror = nullptr;  ///< null: the runs are this machine's
    bool m_areRunsKnown = false;
    QLabel* m_active;
    QLabel* m_record;
    QLabel* m_disk;
    QTimer m_runsTimer;
    QTimer m_diskTimer;
};

}  // namespace ui
