// A mirror: a local data home that follows that of another machine, over ssh.
//
// [Note: mirrors]
// A mirror is a folder that looks like any data home: run folders and, once a window or a command has read them, a database. What is
// copied into it is copied byte for byte, and files that grow are continued where they end, so store, plots and logs work over it
// unchanged and exactly, and a broken connection costs nothing: the next one goes on at the same byte. Of every run the facts are copied
// (its experiments, starts and annotations); journals, logs and samples only of runs that somebody looks at, see FileDepth. What a run
// does, and how far it is, is said by the machine (mirror_state.h), since neither its processes nor, often, its journals are here.
// Nothing in a mirror is ever changed from this side: commands go to the machine, and what they change comes back.
#pragma once
#include "engine/contract/run/annotations.h"
#include "launcher/base/data_home.h"
#include "launcher/remote/mirror_connection.h"

#include <QObject>
#include <QThread>

#include <map>
#include <string>
#include <vector>

namespace launcher {

/// The data home of the mirror of @p host, in the cache of @p own, whose settings it shares.
DataHome mirrorHome(const DataHome& own, const RemoteHost& host);

/// Lives on the thread that creates it; the work is done on another. Signals are emitted on the former.
class Mirror : public QObject {
    Q_OBJECT
public:
    using OnReply = MirrorConnection::OnReply;

    /// Starts to connect. @param home mirrorHome(), whose folders exist
    Mirror(const DataHome& home, const RemoteHost& host, QObject* parent = nullptr);
    ~Mirror() override;  ///< ends the connection

    const RemoteHost& host() const { return m_host; }
    const RemoteLink& link() const { return m_link; }

    void lookAt(const std::map<std::string, FileDepth>& runs);
    /// Sends a command to a run's supervisor there. @p onReply is called on @p context's thread, unless that is destroyed first.
    void send(const std::string& run, ControlCommand command, QObject* context, OnReply onReply);
    /// Executes a command of `atelier` there, one of served_commands.h: {"resume", RUN, "--detach"}. As send() does.
    /// @param input an experiment, which "-" among the arguments stands for
    void execute(const std::vector<std::string>& arguments, QObject* context, OnReply onReply, const std::string& input = {});
    /// Writes what differs between two states of a run's annotations. Blocks until the machine has answered, so it is for other threads.
    /// @throws std::runtime_error in one sentence.
    void annotate(const std::string& run, const contract::Annotations& before, const contract::Annotations& after);
    /// Tries now, if the connection is lost.
    void reconnect();

Q_SIGNALS:
    void linkChanged(const launcher::RemoteLink& link);
    /// Files of these runs have been copied.
    void filesChanged(const QStringList& runIds);
    /// These runs have another status.
    void statusChanged(const QStringList& runIds);
    /// The run is not there any more, neither on the machine nor in the mirror.
    void runGone(const QString& runId);

private:
    RemoteHost m_host;
    RemoteLink m_link;
    QThread m_thread;
    MirrorConnection* m_connection;  ///< on m_thread, which deletes it
};

}  // namespace launcher
