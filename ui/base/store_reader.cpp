#include "ui/base/store_reader.h"

#include <chrono>
#include <cstring>

namespace ui {
namespace {

using storage::Store;
using storage::StoreError;
using namespace std::chrono_literals;

constexpr auto kLookInterval = 100ms;
constexpr auto kTryAgainInterval = 1s;

/// Reading is still possible where nothing can be written.
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
    connect(m_timer, &QTimer::timeout, this, &StoreReader::look);
}

void StoreReader::open()
{
    if (m_store && !m_isReadOnly)
        return;
    // Perhaps it can be written by now.
    m_store.reset();
    m_isTold = false;
    tryAgain();
}

void StoreReader::tryAgain()
{
    const bool hasFailed = m_error.has_value();
    if (!tryToOpen())
        return;
    Q_EMIT opened(m_isReadOnly);
    // Whoever asked meanwhile had no answer.
    if (hasFailed)
        Q_EMIT changed();
}

bool StoreReader::tryToOpen()
{
    try {
        m_store = openStore(m_database, m_isReadOnly);
        m_counter = m_store->changeCounter();
        m_error.reset();
        m_timer->start(kLookInterval);
        return true;
    } catch (const StoreError& error) {
        giveUp(error);
        return false;
    }
}

void StoreReader::giveUp(const StoreError& error)
{
    const bool isNews = !m_isTold || !m_error || std::strcmp(m_error->what(), error.what()) != 0;
    m_store.reset();
    m_error = error;
    m_timer->start(kTryAgainInterval);
    m_isTold = true;
    if (isNews)
        Q_EMIT failed(error.kind(), QString::fromUtf8(error.what()));
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

void StoreReader::look()
{
    if (!m_store) {
        tryAgain();
        return;
    }
    try {
        const std::int64_t counter = m_store->changeCounter();
        if (counter == m_counter)
            return;
        m_counter = counter;
        Q_EMIT changed();
    } catch (const StoreError& error) {
        giveUp(error);
    }
}

}  // namespace ui
