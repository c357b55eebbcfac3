#include "app/cli/catalogue.h"

#include "app/cli/failure.h"
#include "app/cli/output.h"
#include "storage/ingest.h"

namespace app {

launcher::DataHome existingHome()
{
    launcher::DataHome home = launcher::DataHome::locate();
    std::error_code error;
    if (!std::filesystem::is_directory(home.data, error))
        throw Failure("there is no data home at " + home.data.string()
            + ": the first `atelier run` creates it; set $ATELIER_HOME to use another folder");
    home.createIndex();
    return home;
}

storage::Store openCatalogue(const launcher::DataHome& home)
{
    try {
        storage::Store store(home.database());
        for (const std::string& problem : storage::catchUpAll(store, home.runs()))
            printWarning(problem);
        return store;
    } catch (const storage::StoreError& error) {
        if (error.kind() != storage::StoreError::Kind::ReadOnly && error.kind() != storage::StoreError::Kind::DiskFull)
            throw Failure(error.what());
        printWarning(std::string(error.what()) + "; records that are not in the database yet are not shown");
    }
    try {
        return storage::Store(home.database(), storage::Store::Open::ReadOnly);
    } catch (const storage::StoreError& error) {
        throw Failure(error.what());
    }
}

}  // namespace app
