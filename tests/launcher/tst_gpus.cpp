// M4: the machine's GPUs, whose processes are on them, and how ranks get those that the user chose. NVML is a library of the tests'.
#include "engine/contract/run/journal.h"
#include "launcher/machine/gpu_usage.h"
#include "launcher/machine/gpus.h"
#include "launcher/machine/nvml.h"
#include "launcher/plan/preflight.h"
#include "launcher/queue/queue.h"
#include "launcher/runs/launch.h"
#include "tests/launcher/fakes/fake_gpus.h"
#include "tests/launcher/run_facts.h"
#include "tests/launcher/test_home.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>

using launcher::PreflightFix;
using launcher::PreflightItem;
using Level = PreflightItem::Level;

namespace {

QString text(const std::string& value) { return QString::fromStdString(value); }

QByteArray environmentOf(pid_t process, const QByteArray& name)
{
    QFile file(QStringLiteral("/proc/%1/environ").arg(process));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    for (const QByteArray& entry : file.readAll().split('\0')) {
        if (entry.startsWith(name + '='))
            return entry.mid(name.size() + 1);
    }
    return {};
}

}  // namespace

class GpusTest : public QObject {
    Q_OBJECT

    std::unique_ptr<TestHome> m_home;
    std::unique_ptr<FakeGpus> m_gpus;

    contract::Experiment chosen(const char* gpus, std::int64_t ranks, const char* device = "auto") const
    {
        auto experiment = m_home->experiment();
        experiment.set("launch.gpus", std::string(gpus));
        experiment.set("launch.ranks", ranks);
        experiment.set("run.device", std::string(device));
        return experiment;
    }

    PreflightItem finding(const contract::Experiment& experiment, const char* what) const
    {
        const auto items = launcher::preflight(m_home->home(), experiment);
        const auto found = std::ranges::find(items, what, &PreflightItem::what);
        return found == items.end() ? PreflightItem() : *found;
    }

    static QStringList labels(const PreflightItem& item)
    {
        QStringList all;
        for (const PreflightFix& fix : item.fixes)
            all << text(fix.label);
        return all;
    }

private Q_SLOTS:
    void init()
    {
        m_home = std::make_unique<TestHome>();
        m_gpus = std::make_unique<FakeGpus>();
    }
    void cleanup()
    {
        qunsetenv("CUDA_VISIBLE_DEVICES");
        m_home.reset();
        m_gpus.reset();
    }

    void M4_gpusAndTheirProcessesAreListed()
    {
        const std::string own = std::to_string(::getpid());
        m_gpus->set(own + ":2000000000,999999999:18446744073709551615", "");
        launcher::GpuList list = launcher::readGpus();
        QCOMPARE(list.gpus.size(), std::size_t(2));
        QCOMPARE(text(list.driver), QStringLiteral("580.65.06"));
        QVERIFY(list.problem.empty());
        const launcher::Gpu& first = list.gpus[0];
        QCOMPARE(text(first.uuid), QLatin1String(FakeGpus::kFirst));
        QCOMPARE(text(first.name), QStringLiteral("NVIDIA H200"));
        QCOMPARE(first.totalBytes, std::uint64_t(150'000'000'000));
        QCOMPARE(first.freeBytes, std::uint64_t(50'000'000'000));
        QCOMPARE(first.processes.size(), std::size_t(2));
        const QString words = text(first.processes[0].words());
        QVERIFY2(words.startsWith("tst_gpus (process " + text(own) + " of ") && words.endsWith(", 2.0 GB"), qPrintable(words));
        QCOMPARE(text(first.processes[1].words()), QStringLiteral("process 999999999"));
        QVERIFY(list.gpus[1].processes.empty());
        QVERIFY(first.isVisible && list.gpus[1].isVisible);
        qputenv("CUDA_VISIBLE_DEVICES", FakeGpus::kSecond);
        list = launcher::readGpus();
        QVERIFY(!list.gpus[0].isVisible && list.gpus[1].isVisible);
        QVERIFY(launcher::idleGpus() == std::vector<std::string> {FakeGpus::kSecond});
    }

    void M4_aRankIsCalledByItsRun()
    {
        // Ranks are known by the name of their program.
        const std::filesystem::path worker = m_home->path() / "atelier-worker";
        std::filesystem::create_symlink(qEnvironmentVariable("ATELIER_WORKER").toStdString(), worker);
        qputenv("ATELIER_WORKER", worker.c_str());
        const auto run = m_home->startedRun();
        m_gpus->set(std::to_string(TestHome::rank(run, 0)) + ":1000000000", "");
        const launcher::GpuProcess process = launcher::readGpus().gpus.at(0).processes.at(0);
        QCOMPARE(text(process.run), text(run.id()));
        QCOMPARE(text(process.words()), "a rank of run " + text(run.id()) + ", 1.0 GB");
    }

    void M4_withoutGpusTheReasonIsSaid()
    {
        m_gpus->setNone();
        QCOMPARE(text(launcher::readGpus().problem), QStringLiteral("the NVIDIA driver finds no GPU"));
        QVERIFY(!launcher::readGpus().isDriverBroken);
        m_gpus->breakDriver();
        QCOMPARE(text(launcher::readGpus().problem), QStringLiteral("the NVIDIA driver does not work: Driver Not Loaded"));
        QVERIFY(launcher::readGpus().isDriverBroken);
    }

    void M4_takenGpusAreAWarningWithAWayOut()
    {
        m_gpus->set("", std::to_string(::getpid()) + ":2000000000");
        PreflightItem item = finding(chosen("GPU-22bb", 1), "Devices");
        QCOMPARE(item.level, Level::Warning);
        QVERIFY2(text(item.message).startsWith("GPU 1 is used by tst_gpus (process "), item.message.c_str());
        QCOMPARE(labels(item), QStringList {"Use the free GPU 0"});
        QCOMPARE(text(item.fixes.front().values.at("launch.gpus")), QStringLiteral("GPU-11aa"));
        item = finding(chosen("GPU-11aa", 1), "Devices");
        QCOMPARE(item.level, Level::Ok);
        QCOMPARE(text(item.message), QStringLiteral("GPU 0 (NVIDIA H200)"));
        item = finding(chosen("", 2, "cuda"), "Devices");  // any two: one of them is taken, and there is no other
        QCOMPARE(item.level, Level::Warning);
        QVERIFY(item.fixes.empty());
    }

    void M3_M4_gpusThatCannotBeHaveAFix_data()
    {
        QTest::addColumn<QByteArray>("gpus");
        QTest::addColumn<qint64>("ranks");
        QTest::addColumn<QByteArray>("what");
        QTest::addColumn<QString>("message");
        QTest::addColumn<QStringList>("fixes");
        QTest::newRow("M4 another machine's") << QByteArray("GPU-77cc") << qint64(1) << QByteArray("Devices")
            << "launch.gpus: this machine has no GPU-77cc; choose other GPUs" << QStringList({"Use any GPUs", "Train on the CPU"});
        QTest::newRow("M4 too few") << QByteArray("GPU-11aa") << qint64(2) << QByteArray("Experiment")
            << "launch.gpus = \"GPU-11aa\": names 1 GPU for launch.ranks = 2; name one for each rank" << QStringList({"Start 1 process", "Use any GPUs"});
        QTest::newRow("M4 neither an index nor a UUID") << QByteArray("first,1") << qint64(2) << QByteArray("Experiment")
            << "launch.gpus = \"first,1\": \"first\" is neither the index nor the UUID of a GPU; `atelier doctor` shows them"
            << QStringList({"Start 2 processes", "Use any GPUs"});
        QTest::newRow("M4 free with others") << QByteArray("free,1") << qint64(2) << QByteArray("Experiment")
            << "launch.gpus = \"free,1\": free stands alone; the ranks get as many free GPUs as there are ranks"
            << QStringList({"Start 2 processes", "Use any GPUs"});
        QTest::newRow("M4 an index too large") << QByteArray("2") << qint64(1) << QByteArray("Devices")
            << "launch.gpus: this machine has no 2; choose other GPUs" << QStringList({"Use any GPUs", "Train on the CPU"});
        QTest::newRow("M4 twice, by index and UUID") << QByteArray("1,GPU-22") << qint64(2) << QByteArray("Devices")
            << "launch.gpus: GPU-22 is a GPU that is named before; each rank needs one of its own" << QStringList({"Use any GPUs", "Train on the CPU"});
        QTest::newRow("M4 twice") << QByteArray("GPU-11aa, GPU-11aa") << qint64(2) << QByteArray("Experiment")
            << "launch.gpus = \"GPU-11aa, GPU-11aa\": GPU-11aa is named twice; each rank needs a GPU of its own"
            << QStringList({"Start 2 processes", "Use any GPUs"});
        QTest::newRow("M3 more ranks than GPUs") << QByteArray() << qint64(3) << QByteArray("Devices")
            << "2 GPUs for 3 ranks: use fewer ranks (launch.ranks) or train on the CPU (run.device=cpu)"
            << QStringList({"Start 2 processes", "Train on the CPU"});
    }
    void M3_M4_gpusThatCannotBeHaveAFix()
    {
        QFETCH(QByteArray, gpus);
        QFETCH(qint64, ranks);
        QFETCH(QByteArray, what);
        const PreflightItem item = finding(chosen(gpus.constData(), ranks, "cuda"), what.constData());
        QCOMPARE(item.level, Level::Error);
        QTEST(text(item.message), "message");
        QTEST(labels(item), "fixes");
        auto mended = chosen(gpus.constData(), ranks, "cuda");
        for (const auto& [key, value] : item.fixes.front().values)
            QVERIFY(!mended.setText(key, value));
        if (!gpus.contains(' ') && !gpus.startsWith("f"))
            QVERIFY2(finding(mended, "Devices").level != Level::Error && finding(mended, "Experiment").what.empty(), mended.text("launch.gpus").c_str());
    }

    void M3_ranksMayShareGpusOverGloo()
    {
        auto experiment = chosen("", 3, "cuda");
        QVERIFY(!experiment.setText("engine.exchange", "gloo"));
        const PreflightItem item = finding(experiment, "Devices");
        QCOMPARE(item.level, Level::Warning);
        QCOMPARE(text(item.message), QStringLiteral("3 ranks on 2 GPUs: ranks will share GPUs, which is slow"));
        QCOMPARE(labels(item), QStringList({"Start 2 processes", "Train on the CPU"}));
    }

    void M4_ranksGetTheGpusThatWereChosen()
    {
        const auto prepared = launcher::createRun(m_home->home(), chosen("GPU-22bb,GPU-11aa", 2));
        launcher::startSupervisor(prepared.folder);
        QTRY_COMPARE(TestHome::ranks(prepared.folder).size(), std::size_t(2));
        for (const pid_t rank : TestHome::ranks(prepared.folder))
            QCOMPARE(environmentOf(rank, "CUDA_VISIBLE_DEVICES"), QByteArray("GPU-22bb,GPU-11aa"));
    }

    void M4_ranksGetTheGpusOfTheseIndices_data()
    {
        QTest::addColumn<QByteArray>("gpus");
        QTest::addColumn<QByteArray>("given");
        QTest::newRow("M4 an index") << QByteArray("1") << QByteArray(FakeGpus::kSecond);
        QTest::newRow("M4 the beginning of a UUID") << QByteArray("GPU-2") << QByteArray(FakeGpus::kSecond);
        QTest::newRow("M4 mixed") << QByteArray("1, GPU-11") << QByteArray(FakeGpus::kSecond) + ',' + FakeGpus::kFirst;
    }
    void M4_ranksGetTheGpusOfTheseIndices()
    {
        QFETCH(QByteArray, gpus);
        QFETCH(QByteArray, given);
        const auto experiment = chosen(gpus.constData(), gpus.count(',') + 1);
        const PreflightItem item = finding(experiment, "Devices");
        QCOMPARE(item.level, Level::Ok);
        QVERIFY2(text(item.message).startsWith("GPU 1 (NVIDIA H200)"), item.message.c_str());
        const auto prepared = launcher::createRun(m_home->home(), experiment);
        launcher::startSupervisor(prepared.folder);
        QTRY_VERIFY(!TestHome::ranks(prepared.folder).empty());
        QCOMPARE(environmentOf(TestHome::ranks(prepared.folder).front(), "CUDA_VISIBLE_DEVICES"), given);
    }

    void M4_freeGpusAreFoundAtTheStart()
    {
        m_gpus->set(std::to_string(::getpid()) + ":2000000000", "");
        const auto experiment = chosen("free", 1);
        PreflightItem item = finding(experiment, "Devices");
        QCOMPARE(item.level, Level::Ok);
        QCOMPARE(text(item.message), QStringLiteral("free now: GPU 1 (NVIDIA H200)"));
        const auto first = launcher::createRun(m_home->home(), experiment);
        launcher::startSupervisor(first.folder);
        QTRY_VERIFY(!TestHome::ranks(first.folder).empty());
        QCOMPARE(environmentOf(TestHome::rank(first.folder, 0), "CUDA_VISIBLE_DEVICES"), QByteArray(FakeGpus::kSecond));
        QCOMPARE(recordsWith(first.folder.journal(contract::kSupervisorRank), "message", "The ranks have the GPUs GPU-22bb, which were free"), 1);

        // NVML does not show the first run's rank yet, but it has been given the GPU.
        item = finding(experiment, "Devices");
        QCOMPARE(item.level, Level::Warning);
        QVERIFY2(text(item.message).startsWith("launch.gpus = free: 0 GPUs are free for 1 rank (GPU 0 is used by tst_gpus"), item.message.c_str());
        const auto second = launcher::createRun(m_home->home(), experiment);
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, launcher::startSupervisor(second.folder));
        QVERIFY(TestHome::ranks(second.folder).empty());
        m_gpus->set("", "");
        launcher::startSupervisor(second.folder);
        QTRY_VERIFY(!TestHome::ranks(second.folder).empty());
        QCOMPARE(environmentOf(TestHome::rank(second.folder, 0), "CUDA_VISIBLE_DEVICES"), QByteArray(FakeGpus::kFirst));

        // Without GPUs such a run trains on the CPU, as without launch.gpus.
        m_gpus->setNone();
        QCOMPARE(text(finding(chosen("free", 1), "Devices").message).section(' ', 0, 1), QStringLiteral("1 rank"));
        QCOMPARE(launcher::entryFor(first.folder, 1, experiment).gpus, 0);
    }

    void M4_theQueueWaitsForTheGpusThatWereChosen()
    {
        auto prepared = launcher::createRun(m_home->home(), chosen("GPU-22", 1));
        const launcher::QueueEntry entry = launcher::entryFor(prepared.folder, 1, chosen("GPU-22", 1));
        QVERIFY(entry.chosen == std::vector<std::string> {FakeGpus::kSecond});
        launcher::editQueue(m_home->home(), [&](launcher::Queue& queue) { queue.waiting.push_back(entry); });
        QVERIFY(launcher::readQueue(m_home->home()).waiting.at(0) == entry);
        QVERIFY(launcher::entryFor(prepared.folder, 1, chosen("", 1)).chosen.empty());
        QVERIFY(launcher::entryFor(prepared.folder, 1, chosen("1", 1)).chosen == entry.chosen);
        QVERIFY(launcher::entryFor(prepared.folder, 1, chosen("free", 2)).chosen.empty());
        QCOMPARE(launcher::entryFor(prepared.folder, 1, chosen("free", 2)).gpus, 2);
        QVERIFY(launcher::entryFor(prepared.folder, 1, chosen("GPU-22", 1, "cpu")).chosen.empty());
    }

    void E8_whatGpusDoIsReadWithTheRunsPartApart()
    {
        m_gpus->set("4711:30000000000,4712:20000000000,99:5", "");
        const launcher::GpuMeter meter;
        const auto all = meter.read({4711, 4712});
        QCOMPARE(all.size(), std::size_t(2));
        QCOMPARE(all[0].memoryUsed.value(), std::int64_t(100'000'000'000));
        QCOMPARE(all[0].memoryOfRun.value(), std::int64_t(50'000'000'000));
        QCOMPARE(all[1].index, 1);
        QCOMPARE(all[1].memoryOfRun.value(), std::int64_t(0));
        QCOMPARE(all[0].load.value(), 0.87);
        QCOMPARE(all[0].watts.value(), 250.5);
        QCOMPARE(all[0].celsius.value(), 61.0);
        QVERIFY(all[0].isThrottled.value());
    }
};

QTEST_GUILESS_MAIN(GpusTest)
#include "tst_gpus.moc"
