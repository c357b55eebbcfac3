// Reads the queue, keeps a scheduler running while there is something to start, and edits the queue, on other threads.
#pragma once
#include "launcher/base/data_home.h"
#include "launcher/queue/queue.h"
#include "launcher/remote/mirror.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QThreadPool>
#include <QTimer>

#include <functional>
#include <string>
#include <vector>

namespace ui {

/// The queue as it was read last.
struct QueueState {
    launcher::Queue queue;
    std::vector<std::string> reasons;  ///< what each waiting entry waits for
    QString problem;                   ///< why the queue cannot be read or the scheduler not started; empty otherwise

    bool operator==(const QueueState&) const = default;
};

class QueueWatch : public QObject {
    Q_OBJECT
public:
    /// Reads the queue now, every second, and after each edit.
    /// @param mirror what @p home is a mirror of: the queue is then that machine's, read by `atelier queue` there while it is shown, and each
    ///   minute for its alerts
    explicit QueueWatch(const launcher::DataHome& home, launcher::Mirror* mirror = nullptr, QObject* parent = nullptr);

    const QueueState& state() const { return m_state; }
    const launcher::DataHome& home() const { return m_home; }
    /// The machine whose queue it is; null: this one.
    launcher::Mirror* mirror() const { return m_mirror; }

    /// Whether somebody looks at the queue.
    void setShown(bool isShown);
    /// Moves entries, given in their order, by one place; those that are at the end already stay.
    void moveUp(const QStringList& runs);
    void moveDown(const QStringList& runs);
    /// Puts entries, in this order, before the one at @p place.
    void moveTo(const QStringList& runs, int place);
    void hold(const QStringList& runs, bool isHeld);
    void startNow(const QStringList& runs);
    /// Takes runs out of the queue. A run that has not been started before stays prepared.
    void remove(const QStringList& runs);
    void setAtOnce(int runs);
    void setStopsOnError(bool stops);
    void setGpus(const QStringList& runs, int gpus);

Q_SIGNALS:
    /// state() has changed, or was read for the first time.
    void changed();
    void refused(const QString& sentence);

private:
    /// Changes the queue in the background; refused() is emitted when that fails.
    void edit(std::function<void(launcher::Queue&)> change);
    void reorder(std::function<void(launcher::Queue&)> change);
    void executeThere(std::vector<std::string> arguments, const QStringList& runs);
    void read();
    void readThere();
    void take(QueueState state);
    /// Runs @p work in the background after what was asked before.
    void inTurn(std::function<void()> work);

    launcher::DataHome m_home;
    launcher::Mirror* m_mirror;
    bool m_isShown = false;
    QueueState m_state;
    QTimer m_timer;
    QElapsedTimer m_sinceStart;  ///< since the scheduler was last tried to be started
    QElapsedTimer m_sinceReadThere;
    bool m_isRead = false;  ///< once at least
    bool m_isReading = false;
    bool m_isOutdated = false;  ///< edited while it was being read
    QThreadPool m_turns;        ///< of one thread
};

}  // namespace ui
