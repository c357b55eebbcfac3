#include "engine/contract/checkpoint_manifest.h"
#include "launcher/launch.h"
#include "tests/launcher/test_home.h"

#include <QtTest>

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
        QCOMPARE(launcher::prepareResume(folder, std::nullopt, std::nullopt).attempt, 2);
        const auto start = folder.readStart(2);
        QCOMPARE(start.parentStep, 20);
        QCOMPARE(start.parentCheckpoint, std::string("checkpoints/step-20"));
        QCOMPARE(start.controlOffset, 8);
        QCOMPARE(launcher::prepareResume(folder, 10, std::nullopt).attempt, 3);
        QCOMPARE(folder.readStart(3).parentStep, 10);
    }

    void resumeWithoutACheckpointStartsFromScratch_E125()
    {
        TestHome test;
        const auto folder = launcher::createRun(test.home(), test.experiment()).folder;
        auto longer = test.experiment();
        longer.set("run.total_steps", std::int64_t {77});
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
        QVERIFY2(why.contains(QLatin1String("was made with model.width = 128, the experiment says 256")),
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
                    .contains(QLatin1String("is not there")));
    }

    void theDiskIsAskedForWhatRotationKeeps_data()
    {
        using contract::OptionValue;
        QTest::addColumn<std::vector<std::pair<std::string, OptionValue>>>("options");
        QTest::addColumn<QString>("needed");
        const auto add = [](const char* name, std::vector<std::pair<std::string, OptionValue>> options, const char* needed) {
            QTest::newRow(name) << std::move(options) << QString(QLatin1String(needed));
        };
        // 186 million parameters of 16 bytes are 2.976 GB; and one is written before another goes.
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
        for (const auto& item : launcher::preflight(test.home(), experiment))
            if (item.what == "Disk")
                QVERIFY2(QString::fromStdString(item.message).contains("about " + needed + " needed"), item.message.c_str());
    }

    void m03_preflightNamesWhatStandsAgainst()
    {
        using Level = launcher::PreflightItem::Level;
        TestHome test;
        auto items = launcher::preflight(test.home(), test.experiment());
        for (const auto& item : items)
            QVERIFY2(item.level != Level::Error, item.message.c_str());

        auto emoji = test.experiment();
        emoji.set("model.name", std::string("sd3"));
        emoji.set("data.source", std::string("emoji"));
        QVERIFY(message(launcher::preflight(test.home(), emoji), "Data", Level::Ok).contains(QLatin1String("will be written to")));
        fs::create_directories(test.home().data / "cache" / "emoji");
        QVERIFY(message(launcher::preflight(test.home(), emoji), "Data", Level::Ok).contains(QLatin1String("lie in")));

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
