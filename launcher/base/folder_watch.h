// Reports that a run's ranks or its supervisor have written to the run folder.
#pragma once
#include "engine/contract/run/run_folder.h"

#include <QObject>
#include <QSocketNotifier>
#include <QTimer>

#include <cstdint>
#include <memory>

namespace launcher {

/// Watches journal/, samples/ and checkpoints/ through inotify. Falls back to comparing file sizes once a second when
/// inotify is not available, for example because its limits are used up.
class FolderWatch : public QObject {
    Q_OBJECT
public:
    explicit FolderWatch(const contract::RunFolder& folder, QObject* parent = nullptr);
    ~FolderWatch() override;

Q_SIGNALS:
    /// Emitted at most every 100 ms while files change, and once after the last change.
    /// @param byRank true when a rank has written; false when only the supervisor's journal changed
    void changed(bool byRank);

private:
    void drain();
    void compareSizes();

    contract::RunFolder m_folder;
    int m_descriptor = -1;
    std::unique_ptr<QSocketNotifier> m_notifier;
    bool m_hasRankWritten = false;
    QTimer m_throttle;
    QTimer m_poll;
    std::uintmax_t m_knownSize = 0;
};

}  // namespace launcher
