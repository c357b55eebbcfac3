#include "ui/store/store_reader.h"

#include "ui/language/outside_text.h"

#include <chrono>
#include <cstring>

namespace ui {
namespace {

using storage::Store;
using storage::StoreError;
using namespace std::chrono_literals;

constexpr auto kPollInterval = 100ms;
constexpr auto kReopenInterval = 1s;

/// Opens @p database for writing, or read-only where it cannot be written.
std::optional<Store> openStore(const std::filesystem::path& database, bool& isReadOnly)
{
    isReadOnly = false;
    try {
        return Store(database);
    } catch (const StoreError& error) {
        if (error.kind() != StoreError::Kind::ReadOnly)
            throw;
    }
    isReadOnly = true;
    return Store(database, Store::Open::ReadOnly);
}

}  // namespace

StoreReader::StoreReader(std::filesystem::path database)
    : m_database(std::move(database))
    , m_timer(new QTimer(this))
{
    connect(m_timer, &QTimer::timeout, this, &StoreReader::checkForChanges);
}

void StoreReader::open()
{
    if (m_store && !m_isReadOnly)
        return;
    // A database that was opened read-only may have become writable.
    m_store.reset();
    m_isErrorReported = false;
    retryOpen();
}

void StoreReader::retryOpen()
{
    const bool hasFailed = m_error.has_value();
    if (!tryToOpen())
        return;
    Q_EMIT opened(m_isReadOnly);
    // Queries since the failure had no answer: let the views query again.
    if (hasFailed)
        Q_EMIT changed({});
}

bool StoreReader::tryToOpen()
{
    try {
        m_store = openStore(m_database, m_isReadOnly);
        m_changeCounter = m_store->changeCounter();
        m_position = m_store->changesSince(0).position;
        m_error.reset();
        m_timer->start(kPollInterval);
        return true;
    } catch (const StoreError& error) {
        closeAfterError(error);
        return false;
    }
}

void StoreReader::closeAfterError(const StoreError& error)
{
    const bool isNewError = !m_isErrorReported || !m_error || std::strcmp(m_error->what(), error.what()) != 0;
    m_store.reset();
    m_error = error;
    m_timer->start(kReopenInterval);
    m_isErrorReported = true;
    if (isNewError)
        Q_EMIT failed(error.kind(), translatedSentence(error.what()));
}

void StoreReader::close()
{
    m_timer->stop();
    m_store.reset();
}

const Store& StoreReader::store() const
{
    if (m_store)
        return *m_store;
    if (m_error)
        throw *m_error;
    throw StoreError(StoreError::Kind::Other, "The index of runs is not open.");
}

void StoreReader::checkForChanges()
{
    if (!m_store) {
        retryOpen();
        return;
    }
    try {
        const std::int64_t counter = m_store->changeCounter();
        if (counter == m_changeCounter)
            return;
        m_changeCounter = counter;
        const storage::Changes changes = m_store->changesSince(m_position);
        m_position = changes.position;
        if (changes.isUnknown || changes.isRunRemoved || !changes.parts.empty())
            Q_EMIT changed(changes);
    } catch (const StoreError& error) {
        closeAfterError(error);
    }
}

}  // namespace ui
