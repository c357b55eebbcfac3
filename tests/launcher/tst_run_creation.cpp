#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/run/annotations.h"
#include "engine/contract/run/control.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/home/trash.h"
#include "launcher/machine/nvml.h"
#include "launcher/plan/preflight.h"
#include "launcher/queue/queue.h"
#include "launcher/runs/launch.h"
#include "launcher/scheduler/edit_queued.h"
#include "tests/launcher/run_evidence.h"
#include "tests/launcher/test_home.h"

#include <QtTest>

#include <sys/stat.h>

#include <algorithm>
#include <fstream>

namespace fs = std::filesystem;

namespace {

void writeCheckpoint(const contract::RunFolder& folder, std::int64_t step, bool isWhole)
{
    fs::create_directories(folder.checkpoint(step));
    std::ofstream(folder.checkpoint(step) / "rank-0.safetensors") << (isWhole ? "12345678" : "123");
    contract::CheckpointManifest manifest;
    manifest.run = folder.id();
    manifest.step = step;
    manifest.model = "dit";
    manifest.modelOptions = {{"model.width", "128"}};
    manifest.fileBytes = {{"rank-0.safetensors", 8}};
    manifest.tensors = {{"model/w", "F32", {2}, {{"rank-0.safetensors", 0, 0, 2}}}};
    contract::writeManifest(folder.checkpoint(step), manifest);
}

template <typename Call>
QString refusal(Call call)
{
    try {
        call();
    } catch (const std::runtime_error& error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

QString message(const std::vector<launcher::PreflightItem>& items, const char* what,
    launcher::PreflightItem::Level level)
{
    for (const auto& item : items) {
        if (item.what == what && item.level == level)
            return QString::fromStdString(item.message);
    }
    return {};
}

}  // namespace

class RunCreationTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theFirstAttemptSaysEverything()
    {
        TestHome test;
        const auto experiment = test.experiment();
        const auto folder = launcher::createRun(test.home(), experiment).folder;
        QVERIFY(folder.id().starts_with("test-"));
        QCOMPARE(folder.attempts(), std::vector<int> {1});
        QVERIFY(contract::loadExperiment(folder.config(1)).experiment == experiment);
        const auto start = folder.readStart(1);
        QCOMPARE(start.ranks, 2);
        QVERIFY(!start.host.empty());
        QVERIFY(!start.versions.at("atelier").empty());
        QVERIFY(start.parentCheckpoint.empty());
        for (const fs::path& each :
            {folder.journals(), folder.logs(), folder.checkpoints(), folder.samples()})
            QVERIFY(fs::is_directory(each));
    }

    void aRunIsForItsUserAlone_defect_23()
    {
        TestHome test;
        const mode_t before = ::umask(022);
        const auto folder = launcher::createRun(test.home(), test.experiment()).folder;
        contract::SupervisorLock lock(folder);
        const std::string problem = lock.take();
        contract::appendCommand(folder.control(), contract::Command::Stop);
        contract::appendAnnotations(folder.annotations(), {}, {.name = "mine", .project = {}, .tags = {}, .notes = {}, .isArchived = false});
        ::umask(before);
        QCOMPARE(problem, std::string());
        for (const fs::path& each : {folder.root(), folder.attempt(1), folder.journals(), folder.logs(), folder.checkpoints(), folder.samples()})
            QVERIFY2(fs::status(each).permissions() == fs::perms::owner_all, each.c_str());
        for (const fs::path& each : {folder.supervisorLock(), folder.control(), folder.annotations()})
            QVERIFY2(fs::status(each).permissions() == (fs::perms::owner_read | fs::perms::owner_write), each.c_str());
    }

    void aFolderThatCannotBeWrittenLeavesNothingBehind()
    {
        TestHome test;
        fs::remove_all(test.home().runs());
        std::ofstream(test.home().runs()) << "in the way";
        const QString why = refusal([&] { launcher::createRun(test.home(), test.experiment()); });
        QVERIFY2(why.contains(QString::fromStdString(test.home().runs().string())), qPrintable(why));
        QVERIFY(why.contains(QLatin1String("cannot be created")));
    }

    void resumeTakesTheLatestWholeCheckpoint_E125()
    {
        TestHome test;
        const auto folder = launcher::createRun(test.home(), test.experiment()).folder;
        writeCheckpoint(folder, 10, true);
        writeCheckpoint(folder, 20, true);
        writeCheckpoint(folder, 30, false);
        std::ofstream(folder.control()) << "{\"v\":1}\n";
        markStarted(folder, 1);
        QCOMPARE(launcher::prepareResume(folder, std::nullopt, std::nullopt).attempt, 2);
        const auto start = folder.readStart(2);
        QCOMPARE(start.parentStep, 20);
        QCOMPARE(start.parentCheckpoint, std::string("checkpoints/step-20"));
        QCOMPARE(start.controlOffset, 8);
        markStarted(folder, 2);
        QCOMPARE(launcher::prepareResume(folder, 10, std::nullopt).attempt, 3);
        QCOMPARE(folder.readStart(3).parentStep, 10);
    }

    void anEditInTheQueueLeavesStepsToTrain()
    {
        TestHome test;
        const auto folder = launcher::createRun(test.home(), test.experiment()).folder;
        writeCheckpoint(folder, 5, true);
        markStarted(folder, 1);
        QCOMPARE(launcher::prepareResume(folder, std::nullopt, std::nullopt).attempt, 2);
        launcher::editQueue(test.home(), [&](launcher::Queue& queue) { queue.waiting.push_back({.run = folder.id(), .attempt = 2, .problem = {}}); });
        const auto before = test.experiment();
        auto after = before;
        after.set("run.total_steps", std::int64_t {5});
        const QString why = refusal([&] { launcher::editQueued(test.home(), folder.id(), before, after); });
        QVERIFY2(why.contains("resumes from step 5, so run.total_steps = 5 leaves it nothing to train"), qPrintable(why));
        QVERIFY(contract::loadExperiment(folder.config(2)).experiment == before);
        after.set("run.total_steps", std::int64_t {6});
        launcher::editQueued(test.home(), folder.id(), before, after);
        QVERIFY(contract::loadExperiment(folder.config(2)).experiment == after);
    }

    void damagedCheckpointsThatWerePassedOverAreNamed_data()
    {
        QTest::addColumn<QString>("damage");
        QTest::newRow("defect-29: a flipped bit in the manifest") << "bit";
        QTest::newRow("defect-29, defect-30: an emptied folder") << "empty";
        QTest::newRow("defect-29, defect-30: a dangling manifest") << "dangling";
    }
    void damagedCheckpointsThatWerePassedOverAreNamed()
    {
        QFETCH(QString, damage);
        TestHome test;
        const auto folder = launcher::createRun(test.home(), test.experiment()).folder;
        for (const std::int64_t step : {10, 20, 30})
            writeCheckpoint(folder, step, true);
        const fs::path manifest = folder.checkpoint(30) / contract::kManifestFile;
        if (damage == "bit") {
            std::fstream stream(manifest, std::ios::in | std::ios::out);
            stream.seekp(200);
            stream.put('~');
        } else if (damage == "empty") {
            fs::remove_all(folder.checkpoint(30));
            fs::create_directory(folder.checkpoint(30));
        } else {
            fs::remove(manifest);
            fs::create_symlink("nowhere", manifest);
        }
        const QString why = refusal([&] { launcher::prepareResume(folder, 30, std::nullopt); });
        QVERIFY2(why.startsWith("the checkpoint of step 30 is damaged: "), qPrintable(why));
        QCOMPARE(folder.attempts(), std::vector<int> {1});
        markStarted(folder, 1);
        const std::string notice = launcher::prepareResume(folder, std::nullopt, std::nullopt).notice;
        QVERIFY2(notice.starts_with("the checkpoint of step 30 is damaged, so the run goes on from step 20: "), notice.c_str());
        QCOMPARE(folder.readStart(2).notice, notice);
        QCOMPARE(folder.readStart(2).parentStep, 20);
        QVERIFY(launcher::prepareResume(folder, 20, std::nullopt).notice.empty());
        QVERIFY(folder.readStart(2).notice.empty());
    }

    void resumeWithoutACheckpointStartsFromScratch_E125()
    {
        TestHome test;
        const auto folder = launcher::createRun(test.home(), test.experiment()).folder;
        auto longer = test.experiment();
        longer.set("run.total_steps", std::int64_t {77});
        markStarted(folder, 1);
        QCOMPARE(launcher::prepareResume(folder, std::nullopt, longer).attempt, 2);
        QVERIFY(folder.readStart(2).parentCheckpoint.empty());
        QVERIFY(contract::loadExperiment(folder.config(2)).experiment == longer);
    }

    void aCheckpointThatCannotServeIsNamed_E125()
    {
        TestHome test;
        const auto folder = launcher::createRun(test.home(), test.experiment()).folder;
        writeCheckpoint(folder, 10, true);
        writeCheckpoint(folder, 30, false);
        QString why = refusal([&] { launcher::prepareResume(folder, 15, std::nullopt); });
        QVERIFY2(why.endsWith(QLatin1String("has no checkpoint of step 15; it has those of steps 10, 30")),
            qPrintable(why));
        why = refusal([&] { launcher::prepareResume(folder, 30, std::nullopt); });
        QVERIFY2(why.contains(QLatin1String("has 3 bytes instead of 8")), qPrintable(why));
        auto other = test.experiment();
        other.set("model.width", std::int64_t {256});
        why = refusal([&] { launcher::prepareResume(folder, 10, other); });
        QVERIFY2(why.contains(QLatin1String("was written with model.width = 128, but the experiment has 256")),
            qPrintable(why));
        QCOMPARE(folder.attempts(), std::vector<int> {1});
    }

    void trashAndRestoreKeepEveryByte()
    {
        TestHome test;
        const auto folder = launcher::createRun(test.home(), test.experiment()).folder;
        writeCheckpoint(folder, 10, true);
        launcher::moveToTrash(test.home(), folder);
        QVERIFY(!fs::exists(folder.root()));
        QCOMPARE(launcher::restoreFromTrash(test.home(), folder.id()).root(), folder.root());
        QCOMPARE(folder.checkpointSteps(), std::vector<std::int64_t> {10});
        QVERIFY(fs::is_empty(test.home().trash()));
        QVERIFY(refusal([&] { launcher::restoreFromTrash(test.home(), folder.id()); })
                    .contains(QLatin1String("is not in the trash")));
        QVERIFY(!refusal([&] { launcher::restoreFromTrash(test.home(), "../runs"); }).isEmpty());
    }

    void aRunThatIsGoneIsNotTrashed()
    {
        TestHome test;
        const contract::RunFolder folder(test.home().runs() / "gone");
        QVERIFY(refusal([&] { launcher::moveToTrash(test.home(), folder); })
                    .contains(QLatin1String("does not exist")));
    }

    void theDiskIsAskedForWhatRotationKeeps_data()
    {
        using contract::OptionValue;
        QTest::addColumn<std::vector<std::pair<std::string, OptionValue>>>("options");
        QTest::addColumn<QString>("needed");
        const auto add = [](const char* name, std::vector<std::pair<std::string, OptionValue>> options, const char* needed) {
            QTest::newRow(name) << std::move(options) << QString(QLatin1String(needed));
        };
        // 186 million parameters of 16 bytes are 2.976 GB; a new checkpoint is written before an old one is removed.
        add("E-122 three", {}, "11.9 GB");
        add("E-122 no more than are written", {{"checkpoint.keep", std::int64_t {10}}, {"run.total_steps", std::int64_t {600}}}, "8.9 GB");
        add("E-127 of every n-th step", {{"checkpoint.keep_every", std::int64_t {1000}}}, "41.7 GB");
        add("E-127 the best", {{"checkpoint.keep_best", std::int64_t {2}}}, "17.9 GB");
        add("E-127 by size", {{"checkpoint.max_gb", 5.0}}, "8.0 GB");
        add("E-127 a size below one", {{"checkpoint.max_gb", 1.0}}, "6.0 GB");
        add("E-121 weights alone", {{"checkpoint.save", std::string("weights")}}, "6.0 GB");
        add("E-121 no average", {{"ema.decay", 0.0}}, "8.9 GB");
        add("E-121 8-bit moments", {{"optim.kind", std::string("adamw8bit")}}, "7.4 GB");
        add("E-121 one moment", {{"optim.kind", std::string("muon")}}, "8.9 GB");
    }
    void theDiskIsAskedForWhatRotationKeeps()
    {
        using Options = std::vector<std::pair<std::string, contract::OptionValue>>;
        QFETCH(Options, options);
        QFETCH(QString, needed);
        TestHome test;
        auto experiment = test.experiment();
        experiment.set("run.total_steps", std::int64_t {10000});
        experiment.set("model.width", std::int64_t {1000});
        experiment.set("model.depth", std::int64_t {10});
        for (const auto& [key, value] : options)
            QVERIFY(!experiment.set(key, value));
        const auto items = launcher::preflight(test.home(), experiment);
        QCOMPARE(std::ranges::count(items, "Disk", &launcher::PreflightItem::what), 1);
        const std::string& said = std::ranges::find(items, "Disk", &launcher::PreflightItem::what)->message;
        QVERIFY2(QString::fromStdString(said).contains("about " + needed + " needed"), said.c_str());
    }

    /// A copy of a run that is in the trash, under the same id, does not take the place to which that one goes back.
    void aRunOfTheSameIdInTheTrashKeepsItsOrigin()
    {
        TestHome test;
        const auto folder = launcher::createRun(test.home(), test.experiment()).folder;
        launcher::moveToTrash(test.home(), folder);
        const contract::RunFolder copy(test.path() / "elsewhere" / folder.id());
        fs::create_directories(copy.root().parent_path());
        fs::copy(test.home().trash() / folder.id(), copy.root(), fs::copy_options::recursive);
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, launcher::moveToTrash(test.home(), copy));
        QVERIFY(fs::exists(copy.root()));
        QCOMPARE(launcher::restoreFromTrash(test.home(), folder.id()).root(), folder.root());
    }

    void ranksSeeWhatCudaShowsThem_data()
    {
        QTest::addColumn<QByteArray>("variable");
        QTest::addColumn<QString>("visible");
        QTest::newRow("defect-34: indices") << QByteArray("2,0") << "GPU-77cc GPU-12aa";
        QTest::newRow("defect-34: UUIDs, by their beginnings") << QByteArray("GPU-7, GPU-12bb") << "GPU-77cc GPU-12bb";
        QTest::newRow("defect-34: an ambiguous beginning") << QByteArray("1,GPU-12,0") << "GPU-12bb";
        QTest::newRow("defect-34: the first wrong index hides the rest") << QByteArray("1,9,0") << "GPU-12bb";
        QTest::newRow("defect-34: the same one twice") << QByteArray("1,0,GPU-12bb") << "";
        QTest::newRow("defect-34: none") << QByteArray("-1") << "";
        QTest::newRow("defect-34: set, but empty") << QByteArray("") << "";
        QTest::newRow("defect-34: MIG") << QByteArray("MIG-5e,MIG-5f") << "MIG-5e MIG-5f";
    }
    void ranksSeeWhatCudaShowsThem()
    {
        QFETCH(QByteArray, variable);
        const std::vector<std::string> host = {"GPU-12aa", "GPU-12bb", "GPU-77cc"};
        QVERIFY(launcher::visibleGpus(host, nullptr) == host);
        QStringList visible;
        for (const std::string& uuid : launcher::visibleGpus(host, variable.constData()))
            visible << QString::fromStdString(uuid);
        QTEST(visible.join(' '), "visible");
    }

    void m03_preflightNamesWhatStandsAgainst()
    {
        using Level = launcher::PreflightItem::Level;
        TestHome test;
        auto items = launcher::preflight(test.home(), test.experiment());
        for (const auto& item : items)
            QVERIFY2(item.level != Level::Error, item.message.c_str());

        auto one = test.experiment();
        one.set("launch.ranks", std::int64_t {1});
        one.set("run.device", std::string("cpu"));
        const QString devices = message(launcher::preflight(test.home(), one), "Devices", Level::Ok);
        QVERIFY2(devices.startsWith("1 rank on "), qPrintable("defect-47: " + devices));

        auto emoji = test.experiment();
        emoji.set("model.name", std::string("sd3"));
        emoji.set("data.source", std::string("emoji"));
        QVERIFY(message(launcher::preflight(test.home(), emoji), "Data", Level::Ok).contains(QLatin1String("will be written to")));
        fs::create_directories(test.home().data / "cache" / "emoji");
        QVERIFY(message(launcher::preflight(test.home(), emoji), "Data", Level::Ok).contains(QLatin1String("images are in")));

        auto rewarded = emoji;
        rewarded.set("algorithm.name", std::string("flow_grpo"));
        rewarded.set("checkpoint.init_from", test.path().string());
        std::ofstream(test.path() / "model.pt") << "code";
        rewarded.set("reward.functions", "http://127.0.0.1:8000/score, " + (test.path() / "model.pt").string());
        items = launcher::preflight(test.home(), rewarded);
        QVERIFY(message(items, "Rewards", Level::Warning).contains(QLatin1String("/model.pt\" is a program, not only weights")));
        QVERIFY(message(items, "Rewards", Level::Ok).contains(QLatin1String("sent to \"http://127.0.0.1:8000/score\"")));
        std::ofstream(test.path() / "prompts.txt") << "ghost";
        rewarded.set("rollout.prompt_file", (test.path() / "prompts.txt").string());
        QVERIFY(message(launcher::preflight(test.home(), rewarded), "Data", Level::Ok).endsWith(QLatin1String("/prompts.txt can be read")));
        rewarded.set("reward.functions", std::string("program:/none/such"));
        QCOMPARE(message(launcher::preflight(test.home(), rewarded), "Experiment", Level::Error), "reward.functions: \"/none/such\": no such file");

        qputenv("ATELIER_WORKER", "/nowhere/worker");
        auto experiment = test.experiment();
        experiment.set("run.device", std::string("cuda"));
        experiment.set("launch.ranks", std::int64_t {1000});
        experiment.set("model.width", std::int64_t {16384});
        experiment.set("model.depth", std::int64_t {512});
        experiment.set("checkpoint.keep", std::int64_t {1000000});
        fs::remove(test.path() / "data.csv");
        QElapsedTimer timer;
        timer.start();
        items = launcher::preflight(test.home(), experiment);
        QVERIFY(timer.elapsed() <= 2000);
        QVERIFY(message(items, "Worker", Level::Error).contains(QLatin1String("/nowhere/worker")));
        QVERIFY(message(items, "Devices", Level::Error).contains(QLatin1String("launch.ranks")));
        QVERIFY(message(items, "Disk", Level::Error).contains(QLatin1String("checkpoint.keep")));
        QVERIFY(message(items, "Experiment", Level::Error).contains(QLatin1String("data.csv")));
    }
};

QTEST_GUILESS_MAIN(RunCreationTest)
#include "tst_run_creation.moc"
