// Knows what is in the trash of the data home, whoever moved them there or took them out: this window, an earlier one, or the
// command line. Of another machine's it knows what that has said last.
#pragma once
#include "launcher/home/trash.h"
#include "launcher/remote/mirror.h"

#include <QFileSystemWatcher>
#include <QObject>
#include <QStringList>
#include <QTimer>

#include <cstdint>
#include <optional>
#include <vector>

namespace ui {

class TrashWatch : public QObject {
    Q_OBJECT
public:
    /// Reads the trash in the background, now and whenever it changes.
    /// @param mirror what @p home is a mirror of: the trash is then that machine's, asked for when the connection is made, on readAgain(),
    /// and every few seconds while it is shown
    explicit TrashWatch(const launcher::DataHome& home, launcher::Mirror* mirror = nullptr, QObject* parent = nullptr);

    /// The runs and checkpoints in the trash, the last one moved there first. Empty until the first changed().
    const std::vector<launcher::TrashItem>& items() const { return m_items; }
    /// Of another machine's trash: the bytes of each item, in the order of items().
    const std::vector<std::uint64_t>& bytes() const { return m_bytes; }
    /// Of another machine's trash: why it could not be read, in one sentence; empty when it was; nullopt before the first answer.
    const std::optional<QString>& problem() const { return m_problem; }
    void readAgain() { read(); }
    /// Whether somebody looks at the trash.
    void setShown(bool isShown);

Q_SIGNALS:
    void changed();

private:
    void read();
    void readThere();
    bool watch(const std::vector<launcher::TrashItem>& items);

    launcher::DataHome m_home;
    launcher::Mirror* m_mirror;
    QFileSystemWatcher m_watcher;
    QTimer m_timer;  ///< while another machine's trash is shown
    std::vector<launcher::TrashItem> m_items;
    std::vector<std::uint64_t> m_bytes;
    std::optional<QString> m_problem;
    bool m_wasListed = false;
    bool m_isReading = false;
    bool m_isOutdated = false;  ///< the trash changed while it was being read
};

}  // namespace ui
