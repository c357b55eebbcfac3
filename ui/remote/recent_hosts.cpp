#include "ui/remote/recent_hosts.h"

#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/output_file.h"

#include <sstream>
#include <string>

namespace ui {
namespace {

constexpr std::size_t kMostHosts = 12;

std::filesystem::path fileOf(const launcher::DataHome& own) { return own.state / "hosts"; }

}  // namespace

/// A line has the machine and, after a tab, the program there.
std::vector<launcher::RemoteHost> recentHosts(const launcher::DataHome& own)
{
    constexpr std::uint64_t kMostBytes = 64 * 1024;
    std::vector<launcher::RemoteHost> hosts;
    try {
        std::istringstream lines(contract::fileContentIfAny(fileOf(own), kMostBytes).value_or(std::string()));
        for (std::string line; std::getline(lines, line) && hosts.size() < kMostHosts;) {
            const std::size_t tab = line.find('\t');
            try {
                launcher::RemoteHost host = launcher::parseRemoteHost(line.substr(0, tab));
                if (tab != std::string::npos && tab + 1 < line.size())
                    host.program = line.substr(tab + 1);
                hosts.push_back(std::move(host));
            } catch (const std::exception&) {
                continue;
            }
        }
    } catch (const std::exception&) {
        return {};
    }
    return hosts;
}

void rememberHost(const launcher::DataHome& own, const launcher::RemoteHost& host)
{
    std::vector<launcher::RemoteHost> hosts = {host};
    for (const launcher::RemoteHost& each : recentHosts(own)) {
        if (each.text() != host.text() && hosts.size() < kMostHosts)
            hosts.push_back(each);
    }
    std::string text;
    for (const launcher::RemoteHost& each : hosts)
        text += each.text() + "\t" + each.program + "\n";
    try {
        contract::writeFileAtomically(fileOf(own), text);
    } catch (const std::exception&) {
        return;
    }
}

}  // namespace ui
