// Knows what is in the trash of the data home, whoever moved them there or took them out: this window, an earlier one, or the
// command line.
#pragma once
#include "launcher/home/trash.h"

#include <QFileSystemWatcher>
#include <QObject>
#include <QStringList>

#include <vector>

namespace ui {

class TrashWatch : public QObject {
    Q_OBJECT
public:
    /// Reads the trash in the background, now and whenever it changes.
    explicit TrashWatch(const launcher::DataHome& home, QObject* parent = nullptr);

    /// The runs and checkpoints in the trash, the last one moved there first. Empty until the first changed().
    const std::vector<launcher::TrashItem>& items() const { return m_items; }

Q_SIGNALS:
    void changed();

private:
    void read();
    bool watch(const std::vector<launcher::TrashItem>& items);

    launcher::DataHome m_home;
    QFileSystemWatcher m_watcher;
    std::vector<launcher::TrashItem> m_items;
    bool m_isReading = false;
    bool m_isOutdated = false;  ///< the trash changed while it was being read
};

}  // namespace ui
