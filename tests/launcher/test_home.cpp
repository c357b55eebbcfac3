#include "tests/launcher/test_home.h"

#include "launcher/runs/launch.h"
#include "tests/paths.h"

#include <QByteArray>

#include <signal.h>

#include <fstream>
#include <sstream>

namespace {

namespace fs = std::filesystem;

std::string readAll(const fs::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

bool isZombie(const fs::path& process)
{
    const std::string stat = readAll(process / "stat");
    return stat.find(") Z") != std::string::npos;
}

/// Processes whose command line contains both words.
std::vector<pid_t> processesWith(const std::string& word, const std::string& path)
{
    std::vector<pid_t> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos || isZombie(entry.path()))
            continue;
        const std::string command = readAll(entry.path() / "cmdline");
        if (command.find(word) != std::string::npos && command.find(path) != std::string::npos)
            found.push_back(std::stoi(name));
    }
    return found;
}

}  // namespace

TestHome::TestHome()
{
    qputenv("ATELIER_HOME", m_folder.path().toUtf8());
    qputenv("ATELIER_WORKER", FAKE_WORKER);
    qputenv("ATELIER_PROGRAM", SUPERVISOR_HOST);
    for (const char* name : {"FAKE_DO", "FAKE_RANK", "FAKE_CODE", "FAKE_STEP", "FAKE_STEP_MS"})
        qunsetenv(name);
    m_home = launcher::DataHome::locate();
    m_home.create();
    std::ofstream(path() / "data.csv") << "0\n";
}

TestHome::~TestHome()
{
    for (const char* word : {"supervise", "--attempt"}) {
        for (const pid_t process : processesWith(word, path().string()))
            ::kill(process, SIGKILL);
    }
}

contract::Experiment TestHome::experiment() const
{
    contract::Experiment experiment;
    experiment.set("data.path", (path() / "data.csv").string());
    experiment.set("run.name", std::string("test"));
    experiment.set("launch.ranks", std::int64_t {2});
    experiment.set("run.total_steps", std::int64_t {1'000'000});
    return experiment;
}

contract::RunFolder TestHome::startedRun() const
{
    const contract::RunFolder folder = launcher::createRun(m_home, experiment()).folder;
    launcher::startSupervisor(folder);
    return folder;
}

std::vector<pid_t> TestHome::ranks(const contract::RunFolder& folder)
{
    return processesWith("--attempt", folder.root().string());
}

pid_t TestHome::rank(const contract::RunFolder& folder, int rank)
{
    for (const pid_t process : ranks(folder)) {
        const std::string environment = '\0' + readAll("/proc/" + std::to_string(process) + "/environ");
        if (environment.find('\0' + std::string("RANK=") + std::to_string(rank) + '\0') != std::string::npos)
            return process;
    }
    return -1;
}

std::vector<pid_t> TestHome::supervisors(const contract::RunFolder& folder)
{
    return processesWith("supervise", folder.root().string());
}

void TestHome::setFake(const char* what, int rank, int code)
{
    qputenv("FAKE_DO", what);
    qputenv("FAKE_RANK", QByteArray::number(rank));
    qputenv("FAKE_CODE", QByteArray::number(code));
}
