// A process that uses the store, for tests that kill it, run several at once or drop its permissions.
//
//   storage_agent catch-up DATABASE RUNS    reads all journals once
//   storage_agent follow DATABASE RUNS      reads them over and over until its input ends
//   storage_agent read DATABASE             opens it read-only and prints the number of runs
//
// With --as-nobody as its first argument it drops root's permissions. Exit code: 10 + StoreError::Kind for a StoreError.
#include "storage/ingest.h"

#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <iostream>
#include <span>
#include <string_view>

namespace {

bool isInputAtItsEnd()
{
    pollfd input {STDIN_FILENO, POLLIN, 0};
    return ::poll(&input, 1, 0) > 0;
}

void catchUp(const char* database, const char* runs, bool isFollowing)
{
    storage::Store store(database);
    do {
        for (const std::string& problem : storage::catchUpAll(store, runs))
            std::cerr << problem << '\n';
    } while (isFollowing && !isInputAtItsEnd());
}

int work(std::span<char*> arguments)
{
    const std::string_view what = arguments.size() > 1 ? arguments[0] : "";
    if (what == "read") {
        std::cout << storage::Store(arguments[1], storage::Store::Open::ReadOnly).runs().size() << '\n';
        return 0;
    }
    if (arguments.size() < 3)
        return 2;
    catchUp(arguments[1], arguments[2], what == "follow");
    return 0;
}

}  // namespace

int main(int count, char** arguments)
{
    std::span<char*> rest(arguments + 1, static_cast<std::size_t>(count - 1));
    if (!rest.empty() && std::strcmp(rest[0], "--as-nobody") == 0) {
        constexpr uid_t kNobody = 65534;
        if (::geteuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0))
            return 3;
        rest = rest.subspan(1);
    }
    try {
        return work(rest);
    } catch (const storage::StoreError& error) {
        std::cerr << error.what() << '\n';
        return 10 + static_cast<int>(error.kind());
    }
}
