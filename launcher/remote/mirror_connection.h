// Keeps a mirror up to date over ssh; see mirror.h, which runs this on a thread of its own.
#pragma once
#include "engine/contract/run/annotations.h"
#include "launcher/remote/mirror_folder.h"
#include "launcher/remote/protocol.h"
#include "launcher/remote/remote_host.h"
#include "launcher/supervisor/control_client.h"

#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QStringList>
#include <QTimer>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace launcher {

/// The state of the connection, for people.
struct RemoteLink {
    enum class Phase {
        Connecting,  ///< for the first time
        Connected,
        Lost,        ///< and tried again by itself
    };
    Phase phase = Phase::Connecting;
    QString problem = {};           ///< of Lost, in one sentence
    qint64 heardUnixMs = 0;         ///< when something last arrived; 0: never
    bool isListed = false;          ///< all runs of the machine have been named since it is connected
    QString resources = {};         ///< the folder there of what is installed with Atelier; empty: not known
};

struct CommandReply : ControlReply {
    std::string output = {};  ///< what a command has printed
};

class MirrorConnection : public QObject {
    Q_OBJECT
public:
    using OnReply = std::function<void(const CommandReply&)>;

    MirrorConnection(const RemoteHost& host, std::filesystem::path mirror);
    ~MirrorConnection() override;

    void start();
    /// Ends the connection for good; the mirror then says that it is not connected.
    void stop();
    void reconnectNow();
    /// Which runs are copied at which depth; of all others the facts.
    void lookAt(const std::map<std::string, FileDepth>& runs);
    void send(const std::string& run, ControlCommand command, OnReply onReply);
    void execute(const std::vector<std::string>& arguments, const std::string& input, OnReply onReply);
    void annotate(const std::string& run, const contract::Annotations& before, const contract::Annotations& after, OnReply onReply);

Q_SIGNALS:
    void linkChanged(const launcher::RemoteLink& link);
    void filesChanged(const QStringList& runIds);
    void statusChanged(const QStringList& runIds);
    void runGone(const QString& runId);

private:
    using Json = nlohmann::json;
    void connectNow();
    void readOutput();
    void take(const Json& message, std::string_view bytes);
    void greet(const Json& message);
    void takeRun(const std::string& run, const Json& message);
    void takeReply(const Json& message);
    void takeOutput(const Json& message, std::string_view bytes);
    void removeUnlisted();
    void request(Json message, OnReply onReply = {});
    void askForFacts();
    void ask(const std::string& run, FileDepth first, FileDepth depth);
    void lose(const std::string& problem);
    void checkSilence();
    void setLink(RemoteLink::Phase phase, const std::string& problem);
    void announce();
    std::string endOfProcess() const;

    RemoteHost m_host;
    MirrorFolder m_folder;
    int m_lock = -1;
    std::unique_ptr<QProcess> m_process;
    std::unique_ptr<MessageReader> m_reader;
    QByteArray m_errors;  ///< the end of what ssh has written to standard error
    RemoteLink m_link;
    bool m_isGreeted = false;
    std::chrono::steady_clock::time_point m_heardAt;
    std::int64_t m_clockDifferenceMs = 0;  ///< what to add to times of the machine
    QTimer m_retry, m_watch, m_announce;
    std::chrono::milliseconds m_pause;
    std::map<std::string, FileDepth> m_wanted;
    std::map<std::string, FileDepth> m_looked;  ///< what has been asked for since the connection was made
    std::set<std::string> m_present;            ///< runs that the machine has named since then
    std::deque<std::string> m_outdated;         ///< runs whose facts are to be asked for
    std::set<std::string> m_asked;              ///< runs whose facts have been
    struct Awaited {
        OnReply onReply;
        std::string output = {};  ///< what has come of it
    };
    std::map<std::int64_t, Awaited> m_replies;  ///< by the request's id
    std::int64_t m_lastId = 0;
    std::set<std::string> m_changedFiles, m_changedStatus;
};

}  // namespace launcher

Q_DECLARE_METATYPE(launcher::RemoteLink)
