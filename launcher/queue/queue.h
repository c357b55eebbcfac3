// The queue: prepared runs that the scheduler starts one after the other.
//
// [Note: the queue]
// The queue lies in STATE/queue.json, which is only ever replaced as a whole, by a process that holds the second byte of
// STATE/queue.lock. The scheduler (scheduler.h) holds the first byte as long as it runs, so there is at most one for a data home.
// An entry names an attempt that is prepared in its run's folder, with its experiment frozen. Whether it has been started is never
// read from the queue: an attempt is started once (contract::hasStarted()), so a scheduler that is killed between the start and the
// next writing of the queue costs nothing, and the next one finds the attempt started. Whoever starts, changes or discards the attempt of
// an entry takes the run's start lock while it may edit the queue, so an edit comes wholly before a start or is refused after it.
// Alerts are written with the change that they tell, in one replacement of the file, so a scheduler that is killed tells each once. They
// are not in the run's folder: an attempt that was never started leaves nothing there, and the folder may be what is missing.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/run/run_folder.h"
#include "launcher/base/data_home.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace launcher {

struct QueueEntry {
    std::string run;    ///< id
    int attempt = 1;    ///< the prepared one
    int gpus = 0;       ///< it waits until so many are free and gets them; 0: it waits until fewer than Queue::atOnce runs are active
    bool isHeld = false;
    bool isUrgent = false;               ///< start it now, whatever is free
    std::string problem;                 ///< why it could not be started; it is held then
    std::vector<std::string> chosen = {}; ///< UUIDs of the GPUs that the experiment names: it waits for these
    std::vector<std::string> given = {}; ///< UUIDs of the GPUs it is started with

    bool operator==(const QueueEntry&) const = default;
};

/// What the scheduler has to tell people who look elsewhere.
struct QueueAlert {
    enum class Kind {
        NotStarted,  ///< the run could not be started, and is held
        Held,        ///< the run has failed, and those that wait are held (Queue::stopsOnError)
    };
    Kind kind = Kind::NotStarted;
    std::string run;  ///< id
    int attempt = 1;
    std::int64_t unixMs = 0;
    std::string message;  ///< what is wrong and what to do, in one sentence

    bool operator==(const QueueAlert&) const = default;
};

struct Queue {
    int atOnce = 1;                 ///< without GPUs: how many runs may be active at a time, those counted that were started by hand
    bool stopsOnError = false;      ///< hold everything when a run of the queue has failed
    std::vector<QueueEntry> waiting;  ///< in the order in which they are started
    std::vector<QueueEntry> started;  ///< those that are active, as far as the scheduler knows
    std::vector<QueueAlert> alerts = {};  ///< what has happened, the newest last; see addAlert()

    bool operator==(const Queue&) const = default;
};

/// Without what is held and was started all the same. An empty queue when there is none.
/// @throws std::runtime_error in one sentence when the file cannot be read.
Queue readQueue(const DataHome& home);

/// Calls @p change with the queue and writes what it leaves. Waits for another process that does the same.
/// @throws std::runtime_error when the queue cannot be read or written, and what @p change throws; the queue is then unchanged.
void editQueue(const DataHome& home, const std::function<void(Queue&)>& change);

/// The entry of run @p run. @throws std::runtime_error when it is not in the queue.
QueueEntry& entryOf(Queue& queue, const std::string& run);

/// The same for what changes how the run starts. @throws std::runtime_error also when the run is being started: its entry waits until its
/// supervisor runs, and a change would come too late.
QueueEntry& waitingEntry(const DataHome& home, Queue& queue, const std::string& run);

/// Makes the entry wait for so many free GPUs, or for none. @throws std::runtime_error when its experiment names its GPUs.
void setGpus(QueueEntry& entry, int gpus);

/// Puts the entry before the one that is at @p place (0: the first) now; past the end: last.
void moveEntry(Queue& queue, const std::string& run, std::size_t place);

/// Takes the entries out and puts them in together, in the order of @p runs, the first of them at @p place (0: the first); past the end: last.
void moveEntries(Queue& queue, const std::vector<std::string>& runs, std::size_t place);

/// An entry for a prepared attempt; it waits for a GPU per rank where this process may use GPUs and the experiment does.
QueueEntry entryFor(const contract::RunFolder& folder, int attempt, const contract::Experiment& experiment);

/// Keeps the alert, and of the older ones the newest hundred.
void addAlert(Queue& queue, QueueAlert alert);

/// "not started", "held": the alert's kind in the queue's file.
std::string_view alertWord(QueueAlert::Kind kind);
std::optional<QueueAlert::Kind> alertKind(std::string_view word);

/// What the entry at @p place waits for, as in "waits for another run to end": "2 free GPUs".
std::string waitsFor(const DataHome& home, const Queue& queue, std::size_t place);

/// The same for a run's prepared attempt in the data home of this process; nullopt when it is not in the queue. Does not throw.
std::optional<std::string> queueReason(const contract::RunFolder& folder, int attempt);

/// Whether something in the queue is to be started, or a run that it has started to be watched.
bool hasWork(const Queue& queue);

}  // namespace launcher
