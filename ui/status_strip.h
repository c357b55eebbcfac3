// The right end of the status bar: number of active runs, free disk space, age of the last record.
#pragma once
#include "ui/runs/runs_model.h"

#include <QTimer>
#include <QWidget>

#include <filesystem>

class QLabel;

namespace ui {

class StatusStrip : public QWidget {
    Q_OBJECT
public:
    StatusStrip(RunsModel& runs, const std::filesystem::path& dataFolder, QWidget* parent = nullptr);

    /// Says that the free space is this machine's, where the runs are another one's.
    void setDiskHere();

Q_SIGNALS:
    /// Bytes that are free where the runs are kept; negative when they cannot be read.
    void freeSpaceRead(qint64 bytes);

private:
    void countRuns();
    void queryFreeSpace();

    RunsModel& m_runs;
    std::filesystem::path m_dataFolder;
    bool m_isDiskHere = false;
    QLabel* m_active;
    QLabel* m_record;
    QLabel* m_disk;
    QTimer m_runsTimer;
    QTimer m_diskTimer;
};

}  // namespace ui
