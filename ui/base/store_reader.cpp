#include "ui/base/store_reader.h"

#include <chrono>

namespace ui {
namespace {

using storage::Store;
using storage::StoreError;
using namespace std::chrono_literals;

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
    m_timer->setInterval(100ms);
    connect(m_timer, &QTimer::timeout, this, &StoreReader::poll);
}

void StoreReader::open()
{
    if (m_store)
        return;
    try {
        bool isReadOnly = false;
        m_store = openStore(m_database, isReadOnly);
        m_error.reset();
        m_counter = m_store->changeCounter();
        m_timer->start();
        Q_EMIT opened(isReadOnly);
    } catch (const StoreError& error) {
        m_error = error;
        Q_EMIT failed(error.kind(), QString::fromUtf8(error.what()));
    }
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

void StoreReader::poll()
{
    try {
        const std::int64_t counter = m_store->changeCounter();
        if (counter == m_counter)
            return;
        m_counter = counter;
        Q_EMIT changed();
    } catch (const StoreError& error) {
        // Polling a broken file ten times a second would only repeat the message: F5 opens it again.
        close();
        m_error = error;
        Q_EMIT failed(error.kind(), QString::fromUtf8(error.what()));
    }
}

}  // namespace ui
