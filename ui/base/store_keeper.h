// The keeper's side of the store service. See [Note: the two store threads].
#pragma once
#include "launcher/data_home.h"
#include "storage/store.h"

#include <QObject>
#include <QStringList>
#include <QTimer>

#include <filesystem>
#include <optional>
#include <set>
#include <string>

namespace ui {

/// What it could not read into the database, for a lock or a full disk, it owes, and pays when it can.
class StoreKeeper : public QObject {
    Q_OBJECT
public:
    explicit StoreKeeper(const launcher::DataHome& home);

    void catchUp(const std::filesystem::path& runFolder);
    void catchUpAll();
    void forget(const std::string& runId);
    void rebuild();

Q_SIGNALS:
    void failed(storage::StoreError::Kind kind, const QString& message);
    void foldersUnreadable(const QStringList& sentences);
    void rebuilding(int runsDone, int runsInAll);
    void rebuilt();
    /// Some runs cannot be read into the database for now, in one sentence; empty: all is well again.
    void behind(const QString& sentence);

private:
    storage::Store& store();
    /// @return what went wrong with the database, if anything did.
    template <typename Work>
    std::optional<storage::StoreError> attempt(Work work);
    void pay();
    void owe(const std::optional<storage::StoreError>& error);

    launcher::DataHome m_home;
    std::optional<storage::Store> m_store;
    std::set<std::filesystem::path> m_owed;  ///< run folders
    bool m_owesAll = false;
    bool m_isBehind = false;
    QTimer* m_timer;
};

}  // namespace ui
