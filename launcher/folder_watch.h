// Notices that a run's ranks have written something.
#pragma once
#include "engine/contract/run_folder.h"

#include <QObject>
#include <QSocketNotifier>
#include <QTimer>

#include <cstdint>
#include <memory>

namespace launcher {

/// Watches journal/, samples/ and checkpoints/ through inotify; idle, it costs nothing. Where inotify's
/// limits are used up it looks once a second instead.
class FolderWatch : public QObject {
    Q_OBJECT
public:
    explicit FolderWatch(const contract::RunFolder& folder, QObject* parent = nullptr);
    ~FolderWatch() override;

Q_SIGNALS:
    /// At most every 100 ms, and once after the last change.
    /// @param byRank a rank wrote, and not only the supervisor
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
