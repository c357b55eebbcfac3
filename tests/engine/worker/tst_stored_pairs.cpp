// Training on pairs of images that people prefer and reject: without samples, rewards or prompts of its own.
#include "engine/contract/run/data_manifest.h"
#include "engine/data/png.h"
#include "tests/engine/worker/worker_run.h"
#include "tests/paths.h"
#include "tests/support/whole_test.h"

#include <QtTest>

#include <cmath>
#include <fstream>

using tests::WorkerRun;

namespace {

namespace fs = std::filesystem;
using tests::Options;

}  // namespace

class StoredPairsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    fs::path folder() const { return fs::path(m_folder.path().toStdString()) / "pairs"; }

    /// Bright images are preferred to dark ones.
    void paint(const char* which, int number, int level) const
    {
        engine::Pixels pixels {40, 32, 3, std::vector<std::uint8_t>(40 * 32 * 3)};
        for (std::size_t place = 0; place < pixels.values.size(); ++place)
            pixels.values[place] = static_cast<std::uint8_t>(level + static_cast<int>(place) * (number + 3) % 32);
        fs::create_directories(folder() / which);
        engine::writePng(folder() / which / (std::to_string(number) + ".png"), pixels);
    }

    /// An adapter of a tiny Stable Diffusion 3 on 8 pairs, of which a round has 4.
    contract::Experiment experiment(int ranks, const Options& options) const
    {
        contract::Experiment experiment = tests::smallExperiment(ranks);
        const Options all = {{"run.total_steps", std::int64_t {12}}, {"algorithm.name", std::string("dpo")}, {"dpo.source", std::string("offline")},
            {"model.name", std::string("diffusers")}, {"model.folder", std::string(ATELIER_SOURCE_DIR "/tests/goldens/models/pipeline_sd3/pipeline")},
            {"data.source", std::string("folder")}, {"data.folder", folder().string()}, {"data.resolution", std::int64_t {32}},
            {"data.validation_fraction", 0.25}, {"rollout.prompts", std::int64_t {4}}, {"rollout.samples_per_prompt", std::int64_t {1}},
            {"dpo.beta", 50.0}, {"timesteps.count", std::int64_t {4}}, {"batch.micro", std::int64_t {4}}, {"lora.rank", std::int64_t {4}},
            {"lora.alpha", 8.0}, {"optim.lr", 1e-2}, {"optim.weight_decay", 0.0}, {"ema.decay", 0.0}, {"schedule.warmup_steps", std::int64_t {0}}};
        return tests::with(tests::with(std::move(experiment), all), options);
    }

private Q_SLOTS:
    void initTestCase()
    {
        for (int number = 0; number < 8; ++number) {
            paint("chosen", number, 200);
            paint("rejected", number, 10);
            std::ofstream(folder() / "chosen" / (std::to_string(number) + ".txt")) << "a painting " << number;
        }
        paint("rejected", 9, 10);  // without a partner
    }

    /// The first update of a run begins at the reference, to the last bit; then the preferred images become more likely.
    void thePreferredImagesAreLearned_data()
    {
        QTest::addColumn<int>("ranks");
        if (tests::isWhole())
            QTest::newRow("A-076 A-111 1 rank") << 1;
        QTest::newRow("A-076 A-111 2 ranks") << 2;
    }
    void thePreferredImagesAreLearned()
    {
        QFETCH(int, ranks);
        WorkerRun run(experiment(ranks, {}));
        QCOMPARE(run.run(), std::vector<int>(static_cast<std::size_t>(ranks), 0));
        const auto margins = run.metric("rewards/margins"), accuracy = run.metric("actor/implicit_acc");
        QCOMPARE(margins.size(), std::size_t {12});
        QVERIFY(margins.at(1) == 0.0);  // exactly
        QVERIFY2(margins.at(12) > 0 && accuracy.at(12) > 0.7,
            qPrintable(QStringLiteral("margin %1, accuracy %2").arg(margins.at(12)).arg(accuracy.at(12))));
        QVERIFY(run.metric("critic/rewards/mean").empty());
        QCOMPARE(run.lastEvent("notice"), std::string("left out for want of a partner of the same name: rejected/9.png"));
        int trained = 0;
        for (const contract::DataEntry& entry : contract::readDataManifest(run.folder().root() / contract::kDataManifestFile).entries) {
            const bool isLeftOut = entry.use == contract::DataEntry::Use::LeftOut;
            QCOMPARE(isLeftOut, entry.file == "rejected/9.png");
            QCOMPARE(entry.reason.ends_with("rejected/9.png: has no partner of the same name"), isLeftOut);
            trained += isLeftOut ? 0 : 1;
        }
        QCOMPARE(trained, 16);
    }

    void anyNumberOfRanksTrainsTheSame_A110()
    {
        std::map<std::string, std::map<std::int64_t, double>> expected;
        for (const int ranks : {1, 2}) {
            WorkerRun run(experiment(ranks, {{"run.total_steps", std::int64_t {4}}}));
            QCOMPARE(run.run(), std::vector<int>(static_cast<std::size_t>(ranks), 0));
            for (const char* name : {"loss", "grad_norm"}) {
                const auto values = run.metric(name);
                if (ranks == 1)
                    expected[name] = values;
                for (const auto& [step, value] : values)
                    QVERIFY2(std::abs(value - expected[name].at(step)) <= 1e-3 * std::abs(value) + 1e-6, name);
            }
        }
    }

    void whatCannotBeIsRefused_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("message");
        QTest::newRow("no folder") << "data.source" << "emoji" << "data.source = \"emoji\": dpo.source = \"offline\" reads pairs from a folder";
        QTest::newRow("half a pair") << "batch.micro" << "3" << "batch.micro = 3: dpo trains on a pair";
    }
    void whatCannotBeIsRefused()
    {
        QFETCH(QString, key);
        QFETCH(QString, value);
        QFETCH(QString, message);
        contract::Experiment changed = experiment(1, {});
        QVERIFY(!changed.setText(key.toStdString(), value.toStdString()));
        QString found;
        for (const contract::Problem& problem : changed.validate())
            found += QString::fromStdString(problem.message) + '\n';
        QVERIFY2(found.contains(message), qPrintable(found));
    }
};

QTEST_GUILESS_MAIN(StoredPairsTest)
#include "tst_stored_pairs.moc"
