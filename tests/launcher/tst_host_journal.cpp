// E8: what the machine does while a run runs: read from /proc, recorded by the supervisor, no sign of life of the ranks.
#include "engine/contract/run/journal_parser.h"
#include "launcher/machine/host_usage.h"
#include "launcher/runs/launch.h"
#include "launcher/supervisor/control_client.h"
#include "tests/launcher/run_facts.h"
#include "tests/launcher/test_home.h"

#include <QtTest>

#include <fstream>

using launcher::RunState;
namespace fs = std::filesystem;

namespace {

/// A /proc of which the test says everything.
class FakeProc {
public:
    explicit FakeProc(const fs::path& folder)
        : m_folder(folder)
    {
        fs::create_directories(folder);
    }
    void write(const std::string& file, const std::string& text) const
    {
        fs::create_directories((m_folder / file).parent_path());
        std::ofstream(m_folder / file) << text;
    }
    void process(int id, int user, int system, int anonymous, int shared) const
    {
        const std::string number = std::to_string(id);
        write(number + "/stat", number + " (a) b (c)) S 1 2 3 4 5 6 7 8 9 10 " + std::to_string(user) + " " + std::to_string(system) + " 0 0 20\n");
        write(number + "/status", "Name:\tx\nRssAnon:\t " + std::to_string(anonymous) + " kB\nRssFile:\t 99 kB\nRssShmem:\t " + std::to_string(shared) + " kB\n");
    }

private:
    fs::path m_folder;
};

}  // namespace

class HostJournalTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void E8_loadAndMemoryAreTheKernelsNumbers()
    {
        const QTemporaryDir folder;
        const fs::path root = folder.path().toStdString();
        const FakeProc proc(root);
        proc.write("meminfo", "MemTotal:       1000 kB\nMemFree:         100 kB\nMemAvailable:    400 kB\n");
        proc.write("stat", "cpu  100 10 50 800 40 5 5 0 7 7\ncpu0 1 1 1 1 1 1 1 1 1 1\n");
        proc.process(7, 30, 10, 20, 5);
        proc.process(8, 5, 5, 30, 9);
        launcher::HostMeter meter(root, root);
        const launcher::HostUsage first = meter.read({7, 8});
        QCOMPARE(first.cpuLoad, 0.0);
        QCOMPARE(first.memoryUsed, std::int64_t(600 * 1024));
        QCOMPARE(first.memoryOfRun, std::int64_t((20 + 30 + 9) * 1024));
        QVERIFY(first.diskFree > 0);
        proc.write("stat", "cpu  160 10 70 890 60 5 15 0 7 7\n");  // 200 ticks, of which 110 idle or waiting for a disk
        proc.process(7, 60, 20, 20, 5);                              // 40 more
        const launcher::HostUsage second = meter.read({7, 9});
        QCOMPARE(second.cpuLoad, 0.45);
        QCOMPARE(second.cpuRunLoad, 0.2);
        QCOMPARE(second.memoryOfRun, std::int64_t(25 * 1024));
    }

    void E8_withoutProcNothingIsClaimed()
    {
        launcher::HostMeter meter("/nowhere", "/nowhere");
        const launcher::HostUsage usage = meter.read({1});
        QCOMPARE(usage.memoryUsed, std::int64_t(0));
        QCOMPARE(usage.diskFree, std::int64_t(0));
    }

    void E8_aSupervisorRecordsTheMachine()
    {
        TestHome test;
        const auto folder = test.startedRun();
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        const auto file = folder.journal(contract::kHostRank);
        const auto records = [&] {
            std::vector<std::pair<std::int64_t, double>> found;  // seconds and memory of the ranks
            contract::JournalParser parser;
            std::ifstream stream(file);
            for (std::string line; std::getline(stream, line);) {
                const auto& parsed = parser.parse(line);
                if (parsed.kind == contract::JournalLine::Kind::Record && parsed.type == contract::record::kHost)
                    found.emplace_back(parsed.step, parsed.number(contract::metric::kHostRanks, 0));
            }
            return found;
        };
        QTRY_VERIFY_WITH_TIMEOUT(records().size() >= 2, 15'000);
        QCOMPARE(records().front().first, 0);
        QVERIFY(records()[1].first > 0 && records()[1].second > 100'000);
        QVERIFY(launcher::sendCommand(test.home(), folder, launcher::ControlCommand::Kill).isAccepted);
        QTRY_COMPARE(stateOf(folder), RunState::Stopped);
    }
};

QTEST_GUILESS_MAIN(HostJournalTest)
#include "tst_host_journal.moc"
