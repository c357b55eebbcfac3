#include "launcher/remote/mirror_connection.h"

#include "engine/contract/formats/text.h"
#include "launcher/base/file_end.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace launcher {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kFirstPause = 1s, kLongestPause = 30s;
constexpr auto kAnnounceInterval = 100ms;
constexpr std::size_t kFactsAtOnce = 200;  // runs whose facts are asked for before the first of them have come
constexpr std::size_t kFilesInRequest = 500;
constexpr qsizetype kErrorTail = 4000;  // bytes

QStringList taken(std::set<std::string>& ids)
{
    QStringList list;
    for (const std::string& id : std::exchange(ids, {}))
        list << QString::fromStdString(id);
    return list;
}

}  // namespace

MirrorConnection::MirrorConnection(const RemoteHost& host, std::filesystem::path mirror)
    : m_host(host)
    , m_folder(std::move(mirror))
    , m_retry(this)
    , m_watch(this)
    , m_announce(this)
    , m_pause(kFirstPause)
{
    m_retry.setSingleShot(true);
    m_announce.setSingleShot(true);
    m_announce.setInterval(kAnnounceInterval);
    connect(&m_retry, &QTimer::timeout, this, &MirrorConnection::connectNow);
    connect(&m_watch, &QTimer::timeout, this, &MirrorConnection::checkSilence);
    connect(&m_announce, &QTimer::timeout, this, &MirrorConnection::announce);
}

MirrorConnection::~MirrorConnection() { stop(); }

void MirrorConnection::start()
{
    const auto lock = m_folder.data() / "mirror.lock";
    m_lock = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (m_lock < 0 || ::flock(m_lock, LOCK_EX | LOCK_NB) != 0) {
        m_link = {.phase = RemoteLink::Phase::Lost, .problem = QStringLiteral("another program keeps this copy up to date")};
        Q_EMIT linkChanged(m_link);
        return;
    }
    if (const auto last = mirrorLink(m_folder.data()))
        m_link.heardUnixMs = last->heardUnixMs;
    setLink(RemoteLink::Phase::Connecting, {});
    m_watch.start(1s);
    connectNow();
}

void MirrorConnection::stop()
{
    m_retry.stop();
    m_watch.stop();
    const bool wasConnected = m_link.phase == RemoteLink::Phase::Connected;
    if (m_process) {
        m_process->disconnect(this);
        m_process->closeWriteChannel();
        m_process->kill();
        m_process->waitForFinished(1000);
        m_process.reset();
    }
    if (wasConnected)
        setLink(RemoteLink::Phase::Lost, {});
    if (m_lock >= 0)
        ::close(std::exchange(m_lock, -1));
}

void MirrorConnection::setLink(RemoteLink::Phase phase, const std::string& problem)
{
    m_link.phase = phase;
    m_link.problem = QString::fromStdString(problem);
    if (phase != RemoteLink::Phase::Connected)
        m_link.isListed = false;
    try {
        writeMirrorLink(m_folder.data(), {.host = m_host.text(), .isConnected = phase == RemoteLink::Phase::Connected, .problem = problem,
                                             .heardUnixMs = m_link.heardUnixMs});
    } catch (const std::exception& error) {
        m_link.problem = QString::fromUtf8(error.what());
    }
    Q_EMIT linkChanged(m_link);
}

void MirrorConnection::connectNow()
{
    m_isGreeted = false;
    m_errors.clear();
    m_looked.clear();
    m_present.clear();
    m_outdated.clear();
    m_asked.clear();
    m_folder.dropIncomplete();
    m_heardAt = Clock::now();
    m_reader = std::make_unique<MessageReader>([this](const Json& message, std::string_view bytes) { take(message, bytes); });
    m_process = std::make_unique<QProcess>();
    QStringList words;
    for (const std::string& word : sshCommand(m_host, remoteLine(m_host, {"serve"})))
        words << QString::fromStdString(word);
    m_process->setProgram(words.takeFirst());
    m_process->setArguments(words);
    connect(m_process.get(), &QProcess::readyReadStandardOutput, this, &MirrorConnection::readOutput);
    connect(m_process.get(), &QProcess::readyReadStandardError, this,
        [this] { m_errors = (m_errors + m_process->readAllStandardError()).right(kErrorTail); });
    connect(m_process.get(), &QProcess::finished, this, [this] { lose(endOfProcess()); });
    connect(m_process.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            lose("the program " + m_process->program().toStdString() + " could not be started; install OpenSSH's client");
    });
    m_process->start();
}

std::string MirrorConnection::endOfProcess() const
{
    const QByteArray errors = (m_errors + m_process->readAllStandardError()).trimmed();
    const QByteArray last = errors.mid(errors.lastIndexOf('\n') + 1);
    const std::string said = contract::escapedBytes(contract::shortened(last.toStdString()));
    constexpr int kNotFound = 127;
    if (m_process->exitStatus() == QProcess::NormalExit && m_process->exitCode() == kNotFound)
        return "Atelier was not found there as " + contract::inQuotes(m_host.program) + "; give the path of the program on " + m_host.destination;
    return said.empty() ? std::string("ssh has ended") : said;
}

void MirrorConnection::readOutput()
{
    const QByteArray bytes = m_process->readAllStandardOutput();
    m_heardAt = Clock::now();
    m_link.heardUnixMs = nowUnixMs();
    try {
        m_reader->add({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    } catch (const std::exception& error) {
        lose(m_isGreeted ? contract::sentenceOf(error)
                         : "what comes from there is not from Atelier, or after other text, which a login script may print: "
                    + contract::inQuotes(contract::shortened(contract::escapedBytes(bytes.left(100).toStdString()))));
    }
}

void MirrorConnection::take(const Json& message, std::string_view bytes)
{
    if (!m_isGreeted)
        return greet(message);
    const std::string run = textField(message, "run");
    if (message.contains("file")) {
        m_folder.takeFile(run, message, bytes);
        m_changedFiles.insert(run);
    } else if (message.contains("run")) {
        takeRun(run, message);
    } else if (message.contains("gone")) {
        const std::string gone = textField(message, "gone");
        m_folder.removeRun(gone);
        m_present.erase(gone);
        Q_EMIT runGone(QString::fromStdString(gone));
    } else if (message.contains("copied")) {
        const auto depth = depthCalled(textField(message, "depth"));
        const std::string whole = textField(message, "copied");
        if (depth && m_looked.contains(whole))
            Q_EMIT copied(QString::fromStdString(whole), *depth);
    } else if (message.contains("listed")) {
        removeUnlisted();
        m_link.isListed = true;
        Q_EMIT linkChanged(m_link);
    } else if (message.contains("output")) {
        takeOutput(message, bytes);
    } else if (message.contains("progress")) {
        takeProgress(message);
    } else if (message.contains("ok")) {
        takeReply(message);
    }
    if (!m_announce.isActive())
        m_announce.start();
}

void MirrorConnection::greet(const Json& message)
{
    if (numberField(message, "v") != kRemoteVersion)
        throw std::runtime_error("Atelier there speaks another version of the protocol; install the same version on both machines");
    m_isGreeted = true;
    m_isToldOfCopies = message.value("tells_copied", Json()) == true;
    m_clockDifferenceMs = nowUnixMs() - numberField(message, "now");
    m_pause = kFirstPause;
    m_link.resources = QString::fromStdString(contract::shortened(textField(message, "resources"), 4000));
    setLink(RemoteLink::Phase::Connected, {});
    lookAt(m_wanted);
}

void MirrorConnection::takeRun(const std::string& run, const Json& message)
{
    SeenRun seen = m_folder.seen(run).value_or(SeenRun());
    if (message.contains("done")) {
        seen.stamp = textField(message, "done");
        m_asked.erase(run);
        m_changedFiles.insert(run);
        m_folder.takeStatus(run, seen);
        return askForFacts();
    }
    const auto status = message.contains("status") ? statusOf(message["status"]) : std::nullopt;
    if (!status)
        throw std::runtime_error("a message about " + contract::inQuotes(contract::shortened(run)) + " has no status");
    seen.status = *status;
    if (isActive(status->state) && status->lastRecordUnixMs > 0)
        seen.status.lastRecordUnixMs += m_clockDifferenceMs;
    if (m_folder.takeStatus(run, seen))
        m_changedStatus.insert(run);
    m_present.insert(run);
    if (textField(message, "stamp") != seen.stamp && !m_looked.contains(run) && m_asked.insert(run).second) {
        m_outdated.push_back(run);
        askForFacts();
    }
}

void MirrorConnection::removeUnlisted()
{
    for (const std::string& run : m_folder.runs()) {
        if (m_present.contains(run))
            continue;
        m_folder.removeRun(run);
        Q_EMIT runGone(QString::fromStdString(run));
    }
}

void MirrorConnection::askForFacts()
{
    while (!m_outdated.empty() && m_asked.size() - m_outdated.size() < kFactsAtOnce) {
        const std::string run = m_outdated.front();
        m_outdated.pop_front();
        ask(run, FileDepth::Facts, FileDepth::Facts);
    }
}

/// Asks for a run's files down to @p depth. @param first from which depth on the machine does not know yet what there is
void MirrorConnection::ask(const std::string& run, FileDepth first, FileDepth depth)
{
    const std::vector<Json> had = m_folder.had(run, first, depth);
    for (std::size_t begin = 0; begin < had.size(); begin += kFilesInRequest) {
        Json files = Json::array();
        for (std::size_t i = begin; i < std::min(begin + kFilesInRequest, had.size()); ++i)
            files.push_back(had[i]);
        request({{"cmd", "have"}, {"run", run}, {"files", files}});
    }
    request({{"cmd", "look"}, {"run", run}, {"depth", depthName(depth)}});
}

void MirrorConnection::lookAt(const std::map<std::string, FileDepth>& runs)
{
    m_wanted = runs;
    std::erase_if(m_wanted, [](const auto& each) { return each.second == FileDepth::Facts; });
    if (!m_isGreeted)
        return;
    for (const auto& [run, depth] : m_wanted) {
        const auto known = m_looked.find(run);
        if (known != m_looked.end() && known->second == depth)
            continue;
        const FileDepth first = known == m_looked.end() ? FileDepth::Facts : static_cast<FileDepth>(static_cast<int>(known->second) + 1);
        ask(run, first, depth);
        m_looked.insert_or_assign(run, depth);
        if (!m_isToldOfCopies)
            Q_EMIT copied(QString::fromStdString(run), depth);
    }
    for (auto each = m_looked.begin(); each != m_looked.end();) {
        if (m_wanted.contains(each->first)) {
            ++each;
            continue;
        }
        request({{"cmd", "leave"}, {"run", each->first}});
        Q_EMIT copied(QString::fromStdString(each->first), FileDepth::Facts);
        each = m_looked.erase(each);
    }
}

void MirrorConnection::request(Json message, AwaitedReply awaited)
{
    if (!m_process || !m_isGreeted) {
        if (awaited.onReply)
            awaited.onReply({{false, "there is no connection to " + m_host.destination + (m_link.problem.isEmpty() ? "" : ": " + m_link.problem.toStdString())}});
        return;
    }
    message["id"] = ++m_lastId;
    const std::string line = messageLine(message);
    if (awaited.onReply && line.size() > kLongestRemoteLine)
        return awaited.onReply({{false, "that is longer than what can be sent at once"}});
    if (awaited.onReply)
        m_replies.emplace(m_lastId, std::move(awaited));
    m_process->write(QByteArray::fromStdString(line));
}

void MirrorConnection::lose(const std::string& problem)
{
    if (!m_process)
        return;
    m_isGreeted = false;
    m_process->disconnect(this);
    QProcess* const process = m_process.release();  // not deleted here: this may be called from one of its signals
    process->setParent(this);
    if (process->state() == QProcess::NotRunning)
        process->deleteLater();
    else
        connect(process, &QProcess::finished, process, &QObject::deleteLater);
    process->kill();
    setLink(RemoteLink::Phase::Lost, problem);
    for (const auto& [id, awaited] : std::exchange(m_replies, {}))
        awaited.onReply({{false, "the connection to " + m_host.destination + " broke before the answer came; whether the command was carried out is not known"}});
    m_retry.start(m_pause);
    m_pause = std::min<std::chrono::milliseconds>(m_pause * 2, kLongestPause);
}

void MirrorConnection::reconnectNow()
{
    if (!m_retry.isActive())
        return;
    m_retry.stop();
    m_pause = kFirstPause;
    connectNow();
}

void MirrorConnection::checkSilence()
{
    if (m_process && Clock::now() - m_heardAt > kLongestSilence)
        return lose("nothing was heard for " + std::to_string(kLongestSilence.count()) + " s");
    if (m_isGreeted && Clock::now() - m_heardAt < 2s)
        touchMirrorLink(m_folder.data());
}

void MirrorConnection::announce()
{
    if (const QStringList files = taken(m_changedFiles); !files.isEmpty())
        Q_EMIT filesChanged(files);
    if (const QStringList status = taken(m_changedStatus); !status.isEmpty())
        Q_EMIT statusChanged(status);
}

}  // namespace launcher
