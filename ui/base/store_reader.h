// The reader's side of the store service. See [Note: the two store threads].
#pragma once
#include "storage/store.h"

#include <QObject>
#include <QTimer>

#include <filesystem>
#include <functional>
#include <optional>

namespace ui {

/// Keeps the database open. What cannot be opened now (locked, damaged, gone) is tried again and again, since
/// whoever mends it does so elsewhere; the same trouble is told once.
class StoreReader : public QObject {
    Q_OBJECT
public:
    explicit StoreReader(std::filesystem::path database);

    /// Opens the database unless it is open; announces the result, also when it is an old one.
    void open();
    /// Lets go of the file, for one that takes its place.
    void close();

    /// The open store. @throws StoreError, the one that open() met.
    const storage::Store& store() const;

Q_SIGNALS:
    void opened(bool isReadOnly);
    void failed(storage::StoreError::Kind kind, const QString& message);
    void changed();

private:
    void look();
    void tryAgain();
    bool tryToOpen();
    void giveUp(const storage::StoreError& error);

    std::filesystem::path m_database;
    std::optional<storage::Store> m_store;
    std::optional<storage::StoreError> m_error;
    QTimer* m_timer;
    std::int64_t m_counter = 0;
    bool m_isReadOnly = false;
    bool m_isTold = false;  ///< m_error
};

}  // namespace ui
