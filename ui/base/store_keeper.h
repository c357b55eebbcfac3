// The keeper's side of the store service. See [Note: the two store threads].
#pragma once
#include "launcher/data_home.h"
#include "storage/store.h"

#include <QObject>
#include <QStringList>

#include <filesystem>
#include <optional>
#include <string>

namespace ui {

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

private:
    storage::Store& store();

    launcher::DataHome m_home;
    std::optional<storage::Store> m_store;
};

}  // namespace ui
