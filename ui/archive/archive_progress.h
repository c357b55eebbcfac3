// Packs or unpacks on another thread, and shows how far it has come.
#pragma once
#include "launcher/home/run_archive_file.h"

#include <QWidget>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

class QLabel;
class QProgressBar;
class QTimer;

namespace ui {

/// A bar with "1.2 of 4.0 GB" beside it. When it is deleted while it works, the work is given up.
class ArchiveProgressBar : public QWidget {
    Q_OBJECT
public:
    explicit ArchiveProgressBar(QWidget* parent = nullptr);
    ~ArchiveProgressBar() override;

    /// Throws what launcher::packToFile() and unpackFromFile() throw. @return the id of the run.
    using Work = std::function<std::string(const launcher::ArchiveProgress& progress)>;
    /// Does @p work in the background and emits finished(). Call it only while isWorking() is false.
    void start(std::uint64_t bytes, Work work);
    void cancel();
    bool isWorking() const { return m_task != nullptr; }

Q_SIGNALS:
    /// @param problem one sentence; empty when it was done, or given up
    void finished(const QString& runId, const QString& problem);

private:
    /// Shared with the thread that works.
    struct Task {
        std::atomic<std::uint64_t> done {0};
        std::atomic<bool> isCancelled {false};
    };
    void showProgress();

    QProgressBar* m_bar;
    QLabel* m_label;
    QTimer* m_timer;  ///< looks at how far the work has come
    std::uint64_t m_bytes = 0;
    std::shared_ptr<Task> m_task;  ///< nullptr while nothing is worked on
};

}  // namespace ui
