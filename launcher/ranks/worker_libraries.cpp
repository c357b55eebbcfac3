#include "launcher/ranks/worker_libraries.h"

#include "launcher/base/program_output.h"

#include <QByteArray>
#include <QList>

#include <chrono>
#include <string>
#include <vector>

namespace launcher {

std::string missingLibraries(const std::string& worker, const contract::Variables& variables)
{
    constexpr std::chrono::seconds kLimit(5);
    constexpr qint64 kMostBytes = 1 << 20;
    std::vector<std::string> words = {"LD_TRACE_LOADED_OBJECTS=1"};
    for (const auto& [name, value] : variables)
        words.push_back(name + "=" + value);
    words.push_back(worker);
    const ProgramOutput linked = outputOf("/usr/bin/env", words, kLimit, kMostBytes);
    for (const QByteArray& line : linked.output.split('\n')) {  // "	libtorch_cpu.so => not found"
        const qsizetype arrow = line.indexOf(" => not found");
        if (arrow < 0)
            continue;
        const QByteArray library = line.first(arrow).trimmed();
        if (library.startsWith("libtorch") || library.startsWith("libc10"))
            return "LibTorch, with which Atelier trains, is not installed; run `sudo atelier-setup`, or `app/setup` in a checkout";
        return "the worker program " + worker + " lacks the library " + library.toStdString() + "; install it, or Atelier again";
    }
    return {};
}

}  // namespace launcher
