// Owns the database connection that answers queries, on the reader thread. See [Note: the two store threads].
#pragma once
#include "storage/store.h"

#include <QObject>
#include <QTimer>

#include <filesystem>
#include <functional>
#include <optional>

namespace ui {

/// Keeps the database open. When it cannot be opened (locked, damaged, missing), opening is retried every second,
/// since the cause may be removed outside this program; the same error is reported once.
class StoreReader : public QObject {
    Q_OBJECT
public:
    explicit StoreReader(std::filesystem::path database);

    /// Opens the database unless it is already open for writing. Emits opened() or failed(), even for an error
    /// that has been reported before.
    void open();
    /// Closes the file, so that another one can replace it.
    void close();

    /// The open store. @throws StoreError the error of the last attempt to open it.
    const storage::Store& store() const;

Q_SIGNALS:
    void opened(bool isReadOnly);
    void failed(storage::StoreError::Kind kind, const QString& message);
    void changed(const storage::Changes& changes);

private:
    void checkForChanges();
    void retryOpen();
    bool tryToOpen();
    void closeAfterError(const storage::StoreError& error);

    std::filesystem::path m_database;
    std::optional<storage::Store> m_store;
    std::optional<storage::StoreError> m_error;
    QTimer* m_timer;
    std::int64_t m_changeCounter = 0;  ///< the database's, when it was last checked
    std::int64_t m_position = 0;       ///< of the changes that have been reported
    bool m_isReadOnly = false;
    bool m_isErrorReported = false;  ///< failed() has been emitted for m_error
};

}  // namespace ui
