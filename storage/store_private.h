// A Store's connection. Reopens the database when its file was replaced.
#pragma once
#include "storage/database_file.h"
#include "storage/store.h"
#include "storage/store_error.h"

#include <cerrno>

namespace storage {

struct Store::Private {
    std::filesystem::path file;
    Store::Open mode;
    OpenDatabase open;
    FileIdentity identity;
    std::int64_t reopenings = 0;

    Private(std::filesystem::path path, Store::Open openMode);

    /// The connection to the file that is at the path now.
    Database& current();

    /// Calls @p work with the database and converts SQLite's errors to StoreError.
    template <typename Work>
    auto use(Work work)
    {
        Database& database = current();
        errno = 0;
        try {
            return work(database);
        } catch (const SQLite::Exception& error) {
            throw storeError(file, error, errno);
        }
    }

    /// The same within one read transaction, for work that reads with several statements.
    template <typename Work>
    auto read(Work work)
    {
        return use([&](Database& database) {
            const ReadTransaction transaction(database);
            return work(database);
        });
    }
};

}  // namespace storage
