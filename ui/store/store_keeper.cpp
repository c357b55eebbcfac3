#include "ui/store/store_keeper.h"

#include "storage/ingest.h"
#include "ui/language/outside_text.h"

#include <chrono>
#include <utility>

namespace ui {
namespace {

using storage::StoreError;
using namespace std::chrono_literals;

constexpr auto kRetryInterval = 2s;
constexpr auto kLookInterval = 2s;

QStringList toStringList(const std::vector<std::string>& sentences)
{
    QStringList list;
    for (const std::string& sentence : sentences)
        list << translatedSentence(sentence);
    return list;
}

}  // namespace

StoreKeeper::StoreKeeper(const launcher::DataHome& home)
    : m_home(home)
    , m_timer(new QTimer(this))
    , m_look(new QTimer(this))
{
    m_timer->setSingleShot(true);
    m_timer->setInterval(kRetryInterval);
    connect(m_timer, &QTimer::timeout, this, &StoreKeeper::ingestPending);
    connect(m_look, &QTimer::timeout, this, &StoreKeeper::lookForRuns);
}

storage::Store& StoreKeeper::store()
{
    if (!m_store)
        m_store.emplace(m_home.database());
    return *m_store;
}

template <typename Work>
std::optional<StoreError> StoreKeeper::attempt(Work work)
{
    try {
        const std::vector<std::string> sentences = work(store());
        if (!sentences.empty())
            Q_EMIT foldersUnreadable(toStringList(sentences));
        return {};
    } catch (const StoreError& error) {
        m_store.reset();
        return error;
    } catch (const std::exception& error) {
        Q_EMIT foldersUnreadable({translatedSentence(error.what())});
        return {};
    }
}

void StoreKeeper::catchUp(const std::filesystem::path& runFolder)
{
    m_pending.insert(runFolder);
    ingestPending();
}

void StoreKeeper::catchUpAll()
{
    m_isAllPending = true;
    ingestPending();
    if (!m_look->isActive())
        m_look->start(kLookInterval);
}

void StoreKeeper::lookForRuns()
{
    std::error_code error;
    const auto changed = std::filesystem::last_write_time(m_home.runs(), error);
    const bool isMissing = error == std::errc::no_such_file_or_directory;
    const bool wasMissing = std::exchange(m_isRunsFolderMissing, isMissing);
    if (isMissing != wasMissing)
        Q_EMIT runsFolderMissing(isMissing);
    const bool isChangedByOthers = !error && m_home.index != m_home.data && changed != std::exchange(m_runsChanged, changed);
    if (isChangedByOthers || (wasMissing && !isMissing))
        catchUpAll();
}

void StoreKeeper::ingestPending()
{
    std::optional<StoreError> error;
    if (m_isAllPending) {
        error = attempt([this](storage::Store& store) { return storage::catchUpAll(store, m_home.runs()); });
        m_isAllPending = error.has_value();
    }
    while (!error && !m_pending.empty()) {
        error = attempt([this](storage::Store& store) {
            return storage::Ingest(store).catchUp(contract::RunFolder(*m_pending.begin())).problems;
        });
        if (!error)
            m_pending.erase(m_pending.begin());
    }
    scheduleRetry(error);
}

// Reports a locked database and a full disk only. Other database errors are reported by the reader, so that the
// user sees one message.
void StoreKeeper::scheduleRetry(const std::optional<StoreError>& error)
{
    if (error)
        m_timer->start();
    const bool isReported = error && (error->kind() == StoreError::Kind::Locked || error->kind() == StoreError::Kind::DiskFull);
    if (isReported)
        Q_EMIT ingestDelayed(translatedSentence(error->what()));
    else if (m_isDelayReported)
        Q_EMIT ingestDelayed({});
    m_isDelayReported = isReported;
}

void StoreKeeper::forget(const std::string& runId)
{
    try {
        store().removeRun(runId);
    } catch (const StoreError& error) {
        m_store.reset();
        Q_EMIT failed(error.kind(), translatedSentence(error.what()));
    }
}

void StoreKeeper::compact()
{
    try {
        store().compact();
    } catch (const StoreError&) {
        m_store.reset();
    }
}

void StoreKeeper::rebuild()
{
    m_store.reset();
    const auto onProgress = [this](std::size_t done, std::size_t inAll) {
        Q_EMIT rebuilding(static_cast<int>(done), static_cast<int>(inAll));
    };
    try {
        const auto sentences = storage::reindex(m_home.database(), m_home.runs(), onProgress);
        if (!sentences.empty())
            Q_EMIT foldersUnreadable(toStringList(sentences));
        Q_EMIT rebuilt();
    } catch (const StoreError& error) {
        Q_EMIT failed(error.kind(), translatedSentence(error.what()));
    } catch (const std::exception& error) {
        Q_EMIT failed(StoreError::Kind::Other, translatedSentence(error.what()));
    }
}

}  // namespace ui
