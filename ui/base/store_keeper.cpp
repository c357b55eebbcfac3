#include "ui/base/store_keeper.h"

#include "storage/ingest.h"

namespace ui {
namespace {

using storage::StoreError;

QStringList toStringList(const std::vector<std::string>& sentences)
{
    QStringList list;
    for (const std::string& sentence : sentences)
        list << QString::fromStdString(sentence);
    return list;
}

}  // namespace

StoreKeeper::StoreKeeper(const launcher::DataHome& home)
    : m_home(home)
{
}

storage::Store& StoreKeeper::store()
{
    if (!m_store)
        m_store.emplace(m_home.database());
    return *m_store;
}

// What the keeper cannot open, the reader reports: here it is passed over in silence, so that one broken
// database is one message.
void StoreKeeper::catchUp(const std::filesystem::path& runFolder)
{
    try {
        storage::Ingest(store()).catchUp(contract::RunFolder(runFolder));
    } catch (const StoreError&) {
        m_store.reset();
    } catch (const std::exception& error) {
        Q_EMIT foldersUnreadable({QString::fromUtf8(error.what())});
    }
}

void StoreKeeper::catchUpAll()
{
    try {
        const auto sentences = storage::catchUpAll(store(), m_home.runs());
        if (!sentences.empty())
            Q_EMIT foldersUnreadable(toStringList(sentences));
    } catch (const StoreError&) {
        m_store.reset();
    } catch (const std::exception& error) {
        Q_EMIT foldersUnreadable({QString::fromUtf8(error.what())});
    }
}

void StoreKeeper::forget(const std::string& runId)
{
    try {
        store().removeRun(runId);
    } catch (const StoreError& error) {
        m_store.reset();
        Q_EMIT failed(error.kind(), QString::fromUtf8(error.what()));
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
        Q_EMIT failed(error.kind(), QString::fromUtf8(error.what()));
    } catch (const std::exception& error) {
        Q_EMIT failed(StoreError::Kind::Other, QString::fromUtf8(error.what()));
    }
}

}  // namespace ui
