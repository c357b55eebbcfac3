#include "launcher/base/ready_pipe.h"

#include "engine/contract/formats/text.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace launcher {

void reportToStarter(const std::string& problem)
{
    const char* value = std::getenv(kReadyDescriptor);
    const auto number = contract::parseInteger(value ? value : "");
    ::unsetenv(kReadyDescriptor);
    struct stat info {};
    const int descriptor = static_cast<int>(number.value_or(-1));
    if (descriptor < 3 || ::fstat(descriptor, &info) != 0 || !S_ISFIFO(info.st_mode))
        return;
    // The starter may have been killed meanwhile; that must not end the ranks that have just been started.
    struct sigaction before {}, ignored {};
    ignored.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignored, &before);
    const std::string word = (problem.empty() ? "ready" : problem) + "\n";
    [[maybe_unused]] const ssize_t written = ::write(descriptor, word.data(), word.size());
    ::sigaction(SIGPIPE, &before, nullptr);
    ::close(descriptor);
}

}  // namespace launcher
