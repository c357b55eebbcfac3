// M3: what stands against a start, and the buttons that mend it.
#include "launcher/home/checkpoint_sizes.h"
#include "launcher/home/other_home.h"
#include "launcher/plan/forecast.h"
#include "launcher/plan/preflight.h"
#include "launcher/plan/timed_checks.h"
#include "tests/launcher/test_home.h"
#include "tests/launcher/worker_without.h"

#include <QLibraryInfo>
#include <QRegularExpression>
#include <QtTest>

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <future>
#include <memory>
#include <thread>

namespace fs = std::filesystem;
using launcher::PreflightFix;
using launcher::PreflightItem;
using Kind = PreflightFix::Kind;
using Level = PreflightItem::Level;

class PreflightTest : public QObject {
    Q_OBJECT

    std::unique_ptr<TestHome> m_home;

    /// The first finding of that check, of the worst level.
    PreflightItem finding(const contract::Experiment& experiment, const char* what) const
    {
        auto items = launcher::preflight(m_home->home(), experiment);
        std::erase_if(items, [&](const PreflightItem& item) { return item.what != what; });
        const auto worst = std::ranges::max_element(items, {}, &PreflightItem::level);
        return worst == items.end() ? PreflightItem() : *worst;
    }

    /// What finding() says to a user without the rights of root, who may write everywhere.
    PreflightItem findingWithoutRoot(const char* what) const
    {
        PreflightItem item;
        std::thread([&] {
            constexpr uid_t kNobody = 65534;
            if (::geteuid() == 0)
                ::syscall(SYS_setresuid, kNobody, kNobody, kNobody);  // unlike setresuid(), of this thread and those that it starts
            item = finding(m_home->experiment(), what);
        }).join();
        return item;
    }

    static QStringList labels(const PreflightItem& item)
    {
        QStringList all;
        for (const PreflightFix& fix : item.fixes)
            all << QString::fromStdString(fix.label);
        return all;
    }

    static void apply(const PreflightFix& fix, contract::Experiment& experiment)
    {
        QCOMPARE(fix.kind, Kind::SetOptions);
        for (const auto& [key, value] : fix.values)
            QVERIFY2(!experiment.setText(key, value), key.c_str());
    }

    /// Each of its checkpoints takes @p part of the free disk space.
    contract::Experiment large(double part) const
    {
        auto experiment = m_home->experiment();
        experiment.set("run.total_steps", std::int64_t {1'000'000});
        experiment.set("checkpoint.keep", std::int64_t {100});
        experiment.set("checkpoint.keep_best", std::int64_t {3});
        experiment.set("model.depth", std::int64_t {512});
        experiment.set("model.width", std::int64_t {64});
        const double wanted = part * double(fs::space(m_home->home().data).available);
        experiment.set("model.width", std::int64_t(std::lround(64 * std::sqrt(wanted / launcher::checkpointBytes(experiment)))));
        return experiment;
    }

    contract::Experiment ofFolders(const char* data) const
    {
        auto experiment = m_home->experiment();
        experiment.set("model.name", std::string("sd3"));
        experiment.set("data.folder", (m_home->path() / data).string());
        return experiment;
    }

private Q_SLOTS:
    void init() { m_home = std::make_unique<TestHome>(); }
    void cleanup() { m_home.reset(); }

    void M3_fewerCheckpointsAreOffered()
    {
        auto experiment = large(0.22);  // four fit, one of which is being written
        PreflightItem item = finding(experiment, "Disk");
        QCOMPARE(item.level, Level::Error);
        QCOMPARE(labels(item), QStringList({"Keep 3 checkpoints", "Keep runs elsewhere…"}));
        apply(item.fixes.front(), experiment);
        item = finding(experiment, "Disk");
        QVERIFY2(item.level != Level::Error, item.message.c_str());
        experiment.set("checkpoint.keep", std::int64_t {4});
        QCOMPARE(finding(experiment, "Disk").level, Level::Error);
    }

    void M3_weightsAloneAreOfferedWhereNoCheckpointFits()
    {
        auto experiment = large(0.7);  // weights and average alone are half of it
        const PreflightItem item = finding(experiment, "Disk");
        QCOMPARE(item.level, Level::Error);
        QCOMPARE(labels(item).front(), QStringLiteral("Save weights only, keep 1 checkpoint"));
        apply(item.fixes.front(), experiment);
        QVERIFY(finding(experiment, "Disk").level != Level::Error);
    }

    void M3_theTrashIsOfferedWhenItHasSomething()
    {
        fs::create_directories(m_home->home().trash() / "digits-20261121-101500-aaaa");
        std::ofstream(m_home->home().trash() / "digits-20261121-101500-aaaa" / "weights") << std::string(60'000'000, 'x');
        const PreflightItem item = finding(large(2), "Disk");
        QCOMPARE(labels(item), QStringList({"Look into the trash (60 MB)", "Keep runs elsewhere…"}));
        QCOMPARE(item.fixes.front().kind, Kind::OpenTrash);
        QCOMPARE(item.fixes.back().kind, Kind::MoveHome);
    }

    void M3_aWorkerWithoutItsLibrariesIsRefused_data()
    {
        QTest::addColumn<QByteArray>("library");
        QTest::addColumn<QString>("advice");
        QTest::newRow("LibTorch") << QByteArray("libtorch_x.so1") << "run `sudo atelier-setup`, or `app/setup` in a checkout";
        QTest::newRow("another") << QByteArray("libnothing.so1") << "worker lacks the library libnothing.so1; install it, or Atelier again";
    }
    void M3_aWorkerWithoutItsLibrariesIsRefused()
    {
        QFETCH(QByteArray, library);
        QFETCH(QString, advice);
        auto experiment = m_home->experiment();
        QCOMPARE(finding(experiment, "Worker").level, Level::Ok);
        qputenv("ATELIER_WORKER", workerWithout(m_home->path(), library).c_str());
        const PreflightItem item = finding(experiment, "Worker");
        QCOMPARE(item.level, Level::Error);
        QVERIFY2(QString::fromStdString(item.message).endsWith(advice), item.message.c_str());
        try {
            launcher::forecast(m_home->home(), experiment);
            QFAIL("a worker that cannot start has planned");
        } catch (const std::runtime_error& error) {
            QCOMPARE(error.what(), item.message);
        }
        // The ranks alone may be told where it is.
        fs::copy_file(QLibraryInfo::path(QLibraryInfo::LibrariesPath).toStdString() + "/libQt6Core.so.6", m_home->path() / library.toStdString());
        experiment.set("launch.environment", "LD_LIBRARY_PATH=" + m_home->path().string());
        QCOMPARE(finding(experiment, "Worker").level, Level::Ok);
        experiment.set("launch.environment", std::string());
        experiment.set("launch.target", std::string("slurm"));
        QCOMPARE(finding(experiment, "Worker").level, Level::Ok);
    }

    void M3_aFolderWithoutRightsIsRefused()
    {
        const fs::path runs = m_home->home().runs();
        fs::create_directories(runs);
        fs::remove_all(m_home->home().runtime);  // whoever checks makes one of its own
        for (fs::path folder = runs; folder != fs::temp_directory_path(); folder = folder.parent_path())
            fs::permissions(folder, fs::perms::all);
        QCOMPARE(findingWithoutRoot("Data home").level, Level::Ok);
        fs::permissions(runs, fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
        const PreflightItem item = findingWithoutRoot("Data home");
        QCOMPARE(item.level, Level::Error);
        QVERIFY2(item.message.starts_with(runs.string() + " cannot be written: Permission denied"), item.message.c_str());
        QCOMPARE(labels(item), QStringList("Keep runs elsewhere…"));
    }

    void M3_moreRanksThanCores()
    {
        auto experiment = m_home->experiment();
        experiment.set("run.device", std::string("cpu"));
        experiment.set("launch.ranks", std::int64_t {1000});
        const PreflightItem item = finding(experiment, "Devices");
        QCOMPARE(item.level, Level::Warning);
        apply(item.fixes.at(0), experiment);
        QCOMPARE(experiment.integer("launch.ranks"), std::int64_t(std::thread::hardware_concurrency()));
        QCOMPARE(finding(experiment, "Devices").level, Level::Ok);
    }

    void sequencesThatLeaveAHostAreSaid()
    {
        auto experiment = m_home->experiment();
        experiment.set("launch.ranks", std::int64_t {4});
        experiment.set("engine.ulysses", std::int64_t {4});
        QCOMPARE(finding(experiment, "Hosts").message, std::string());  // all on this machine
        experiment.set("launch.target", std::string("slurm"));
        experiment.set("slurm.nodes", std::int64_t {2});
        const PreflightItem item = finding(experiment, "Hosts");
        QCOMPARE(item.level, Level::Warning);
        QVERIFY2(item.message.starts_with("engine.ulysses = 4: a host has 2 ranks"), item.message.c_str());
        experiment.set("engine.ulysses", std::int64_t {2});
        QCOMPARE(finding(experiment, "Hosts").message, std::string());
    }

    void M3_aPathThatIsWrongIsChosenAgain_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QString>("label");
        QTest::addColumn<Kind>("kind");
        QTest::newRow("M3 a file") << QByteArray("data.path") << "Choose a file…" << Kind::ChoosePath;
        QTest::newRow("M3 a folder") << QByteArray("data.folder") << "Choose a folder…" << Kind::ChoosePath;
        QTest::newRow("M3 something else") << QByteArray("model.width") << "Show the option" << Kind::ShowOption;
    }
    void M3_aPathThatIsWrongIsChosenAgain()
    {
        QFETCH(QByteArray, key);
        auto experiment = key == "data.folder" ? ofFolders("gone") : m_home->experiment();
        if (key == "data.path")
            experiment.set("data.path", std::string("/nowhere/digits.csv.gz"));
        if (key == "model.width")
            experiment.set("model.width", std::int64_t {9});
        const PreflightItem item = finding(experiment, "Experiment");
        QCOMPARE(item.level, Level::Error);
        QVERIFY2(item.message.starts_with(key.constData()), item.message.c_str());
        QCOMPARE(item.fixes.at(0).key, key.toStdString());
        QTEST(item.fixes.at(0).kind, "kind");
        QTEST(labels(item).front(), "label");
    }

    void M3_modelAndDataAreRead()
    {
        fs::create_directories(m_home->path() / "images");
        PreflightItem item = finding(ofFolders("images"), "Data");
        QCOMPARE(item.level, Level::Error);
        QVERIFY2(item.message.ends_with("images is empty"), item.message.c_str());
        QCOMPARE(item.fixes.at(0).key, std::string("data.folder"));
        std::ofstream(m_home->path() / "images" / "one.bmp") << "image";
        item = finding(ofFolders("images"), "Data");
        QVERIFY2(item.level == Level::Error && item.message.ends_with("no videos; files such as \"one.bmp\" have to be saved in one of these formats"), item.message.c_str());
        fs::create_directories(m_home->path() / "images" / "10_dog");
        std::ofstream(m_home->path() / "images" / "10_dog" / "one.PNG") << "image";
        QCOMPARE(finding(ofFolders("images"), "Data").level, Level::Ok);

        auto experiment = ofFolders("images");
        std::ofstream(m_home->path() / "file") << "";
        experiment.set("data.cache", (m_home->path() / "file" / "cache").string());
        item = finding(experiment, "Cache");
        QVERIFY2(item.level == Level::Error && item.message.find("file cannot be written") != std::string::npos, item.message.c_str());
        apply(item.fixes.at(1), experiment);
        QVERIFY(finding(experiment, "Cache").what.empty());

        experiment.set("model.name", std::string("diffusers"));
        experiment.set("model.folder", (m_home->path() / "images").string());
        item = finding(experiment, "Model");
        QVERIFY2(item.level == Level::Error && item.message.find("images") != std::string::npos, item.message.c_str());
        QCOMPARE(item.fixes.at(0).key, std::string("model.folder"));

        experiment.set("model.folder", std::string(ATELIER_SOURCE_DIR "/tests/goldens/models/pipeline_sd3/pipeline"));
        for (const auto& [adapter, problem] : std::initializer_list<std::pair<fs::path, const char*>> {
                 {m_home->path() / "none.safetensors", "none.safetensors: No such file"}, {m_home->path() / "images", "holds no adapter"},
                 {ATELIER_SOURCE_DIR "/tests/fixtures/pictures/rgb.png", "rgb.png"}}) {
            experiment.set("lora.init_from", adapter.string());
            item = finding(experiment, "Adapter");
            QVERIFY2(item.level == Level::Error && item.message.find(problem) != std::string::npos, item.message.c_str());
            QCOMPARE(item.fixes.at(0).key, std::string("lora.init_from"));
        }

        auto continued = m_home->experiment();
        continued.set("checkpoint.init_from", (m_home->path() / "images").string());
        item = finding(continued, "Initial weights");
        QVERIFY2(item.level == Level::Error && item.message.find("manifest.json") != std::string::npos, item.message.c_str());
        QCOMPARE(item.fixes.at(0).key, std::string("checkpoint.init_from"));
    }

    void M3_promptsAndATeacherAreLookedAt()
    {
        fs::create_directories(m_home->path() / "drawn");
        std::ofstream(m_home->path() / "drawn" / "one.png") << "image";
        auto experiment = ofFolders("drawn");
        const fs::path file = m_home->path() / "prompts.txt";
        experiment.set("algorithm.name", std::string("flow_grpo"));
        experiment.set("reward.functions", std::string("brightness:1"));
        experiment.set("checkpoint.init_from", (m_home->path() / "drawn").string());
        experiment.set("rollout.prompt_file", file.string());
        for (const auto& [content, problem] : std::initializer_list<std::pair<std::string, const char*>> {
                 {" \n\n", "has no prompts"}, {std::string("a\0b", 3), "line 1: has a NUL character"}, {"gr\xfcn\n", "line 1: is not UTF-8"},
                 {"{\"prompt\": \"a\"}\n{\"text\": \"b\"}\n", "line 2: has no text named \"prompt\""}, {"{\"prompt\": \"a\"\n", "line 1: is not a JSON object"},
                 {"{\"prompt\": \"\"}\n", "line 1: has an empty prompt"}}) {
            std::ofstream(file) << content;
            const PreflightItem item = finding(experiment, "Data");
            QVERIFY2(item.level == Level::Error && item.message.find(problem) != std::string::npos, item.message.c_str());
            QCOMPARE(item.fixes.at(0).key, std::string("rollout.prompt_file"));
        }
        std::ofstream(file) << "a cat\n";
        QCOMPARE(finding(experiment, "Data").level, Level::Ok);
        // A long file's last line is not looked at where it is cut; one may be longer than all that is looked at.
        for (const std::string& whole : {std::string("{\"prompt\": \"a\"}\n"), std::string()}) {
            std::ofstream(file) << whole << "{\"prompt\": \"b\", \"note\": \"" << std::string(70'000, 'x') << "\"}\n";
            QCOMPARE(finding(experiment, "Data").level, Level::Ok);
        }

        auto distilled = m_home->experiment();
        distilled.set("algorithm.name", std::string("distill"));
        distilled.set("distill.mode", std::string("distill_kl"));
        distilled.set("distill.teacher", (m_home->path() / "drawn").string());
        const PreflightItem item = finding(distilled, "Teacher");
        QVERIFY2(item.level == Level::Error && item.message.find("manifest.json") != std::string::npos, item.message.c_str());
        QCOMPARE(item.fixes.at(0).key, std::string("distill.teacher"));
    }

    /// A network disk that does not answer must not hold up the others.
    void M3_aCheckThatHangsIsReportedInTime()
    {
        std::promise<void> end;
        const auto ended = end.get_future().share();
        QElapsedTimer timer;
        timer.start();
        const auto found = launcher::runChecks({{"Disk",
                                                    [ended] {
                                                        ended.wait();
                                                        return std::vector<PreflightItem> {{Level::Ok, "Disk", "late"}};
                                                    }},
                                                   {"Port", [] { return std::vector<PreflightItem> {{Level::Ok, "Port", "free"}}; }},
                                                   {"Model", []() -> std::vector<PreflightItem> { throw std::runtime_error("broken"); }}},
            std::chrono::milliseconds(100));
        QVERIFY(timer.elapsed() < 2000);
        end.set_value();
        QCOMPARE(found.size(), std::size_t(3));
        std::vector<PreflightItem> items;
        for (const auto& each : found)
            items.insert(items.end(), each.begin(), each.end());
        QCOMPARE(items.size(), std::size_t(3));
        QCOMPARE(items[0].level, Level::Warning);
        QVERIFY2(items[0].what == "Disk" && items[0].message.starts_with("not known yet"), items[0].message.c_str());
        QVERIFY(items[1] == (PreflightItem {Level::Ok, "Port", "free"}));
        QVERIFY(items[2] == (PreflightItem {Level::Error, "Model", "broken"}));
    }

    /// E15: whatever the runs of a sweep differ in, each is told what it would be told alone.
    void M3_E15_severalRunsAreCheckedAsEachAlone()
    {
        std::vector<contract::Experiment> runs;
        const auto add = [&](contract::Experiment experiment, const char* key, const char* value) {
            QVERIFY2(!experiment.setText(key, value), key);
            runs.push_back(std::move(experiment));
        };
        const auto base = m_home->experiment(), large = this->large(2);
        for (const auto& [key, value] : {std::pair("run.seed", "1"), std::pair("run.seed", "2"), std::pair("launch.ranks", "64"), std::pair("run.device", "cuda"),
                 std::pair("launch.target", "slurm"), std::pair("model.name", "sd3"), std::pair("model.name", "diffusers"), std::pair("optim.lr", "0.5"),
                 std::pair("batch.global", "7"), std::pair("data.resolution", "64")})
            add(base, key, value);
        for (const auto& [key, value] : {std::pair("model.width", "64"), std::pair("model.depth", "1"), std::pair("checkpoint.keep", "1"), std::pair("checkpoint.keep_every", "1"),
                 std::pair("checkpoint.keep_best", "0"), std::pair("checkpoint.max_gb", "0.1"), std::pair("checkpoint.every", "0"), std::pair("checkpoint.save", "weights"),
                 std::pair("ema.decay", "0"), std::pair("optim.kind", "muon"), std::pair("run.total_steps", "1"), std::pair("launch.ranks", "1")})
            add(large, key, value);
        add(ofFolders("images"), "run.seed", "1");
        add(ofFolders("empty"), "run.seed", "1");
        add(ofFolders("empty"), "data.source", "emoji");
        const auto all = launcher::preflightAll(m_home->home(), runs);
        QCOMPARE(all.size(), runs.size());
        const auto lines = [](const std::vector<PreflightItem>& items) {
            QStringList texts;
            for (const PreflightItem& item : items) {
                // The free space changes meanwhile.
                const QString message = QString::fromStdString(item.message).remove(QRegularExpression("^[0-9.]+ GB free"));
                texts << QString::fromStdString(item.what) + QString::number(int(item.level)) + message;
            }
            return texts;
        };
        for (std::size_t i = 0; i < runs.size(); ++i)
            QCOMPARE(lines(all[i]), lines(launcher::preflight(m_home->home(), runs[i])));
        QVERIFY(launcher::preflightAll(m_home->home(), {}).empty());
    }

    void M3_anotherDataHomeIsOpenedWithTheExperiment()
    {
        const fs::path program = m_home->path() / "fake-atelier", report = m_home->path() / "report";
        std::ofstream(program) << "#!/bin/sh\n{ echo \"$ATELIER_HOME\"; cat \"$1\"; } > " << report.string() << ".part\nmv " << report.string() << ".part "
                               << report.string() << "\n";
        fs::permissions(program, fs::perms::owner_all);
        qputenv("ATELIER_PROGRAM", program.c_str());
        const fs::path other = m_home->path() / "other disk";
        launcher::openOnHome(other, "[optim]\nlr = 0.5\n");
        QTRY_VERIFY(fs::exists(report));
        QFile file(QString::fromStdString(report.string()));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray::fromStdString(other.string()) + "\n[optim]\nlr = 0.5\n");
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, launcher::openOnHome(m_home->path() / "fake-atelier" / "x", ""));
    }
};

QTEST_GUILESS_MAIN(PreflightTest)
#include "tst_preflight.moc"
