// A Store's connection, which follows the file when another takes its place.
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

    /// The connection to the file that now lies at the path.
    Database& current();

    /// Work on the database, with SQLite's errors as StoreError. An error of @p work rolls back.
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

    /// The same for work that reads in several statements.
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
