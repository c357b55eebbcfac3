// The images of the best and worst samples of rounds that a run keeps.
#include "tests/engine/worker/drawn_checkpoint.h"
#include "tests/engine/worker/worker_run.h"

#include <QtTest>

#include <fstream>

using tests::WorkerRun;

namespace {

namespace field = contract::standing;

struct Kept {
    std::string file, prompt;
    std::map<std::string, double> numbers;
};

std::vector<Kept> keptSamples(const WorkerRun& run)
{
    std::ifstream journal(run.folder().journal(0));
    contract::JournalParser parser;
    std::vector<Kept> kept;
    for (std::string text; std::getline(journal, text);) {
        const contract::JournalLine& line = parser.parse(text);
        if (line.type != contract::record::kSample || !line.field(field::kRound))
            continue;
        Kept& sample = kept.emplace_back();
        sample.file = line.text("file");
        sample.prompt = line.text("prompt");
        for (const contract::JournalField& each : line.fields()) {
            if (each.isNumber)
                sample.numbers[each.name] = each.number;
        }
    }
    return kept;
}

QByteArray bytesOf(const WorkerRun& run, const std::string& file)
{
    QFile image(QString::fromStdString((run.folder().root() / file).string()));
    return image.open(QIODevice::ReadOnly) ? image.readAll() : QByteArray();
}

/// A round of 4 prompts of 4 samples a step. The model has no use, but each of its samples has another reward.
contract::Experiment experiment(int ranks, std::int64_t keepEvery, int steps, const std::string& checkpoint)
{
    contract::Experiment experiment = tests::smallExperiment(ranks);
    const std::vector<std::pair<const char*, contract::OptionValue>> options = {{"run.total_steps", std::int64_t {steps}},
        {"algorithm.name", std::string("flow_grpo")}, {"checkpoint.init_from", checkpoint}, {"rollout.prompts", std::int64_t {4}},
        {"rollout.samples_per_prompt", std::int64_t {4}}, {"rollout.steps", std::int64_t {4}}, {"rollout.noise_level", 0.7},
        {"rollout.keep_every", keepEvery}, {"gold.reward", std::string("judge")}, {"batch.micro", std::int64_t {2}}, {"optim.lr", 0.0}, {"ema.decay", 0.0}};
    for (const auto& [key, value] : options) {
        if (const auto problem = experiment.set(key, value))
            qFatal("%s", problem->message.c_str());
    }
    return experiment;
}

}  // namespace

class KeptSamplesTest : public QObject {
    Q_OBJECT

    tests::DrawnCheckpoint m_base {tests::smallExperiment(1)};

private Q_SLOTS:
    /// A model that does not move draws samples that depend on the seed only. Two ranks draw half of each prompt's samples each.
    void theyAreTheSameOnAnyNumberOfRanks()
    {
        WorkerRun one(experiment(1, 1, 3, m_base.path())), two(experiment(2, 1, 3, m_base.path()));
        QCOMPARE(one.run(), (std::vector {0}));
        QCOMPARE(two.run(), (std::vector {0, 0}));
        const std::vector<Kept> kept = keptSamples(two), expected = keptSamples(one);
        QCOMPARE(kept.size(), std::size_t {12});
        QCOMPARE(expected.size(), std::size_t {12});
        for (std::size_t i = 0; i < kept.size(); ++i) {
            QCOMPARE(kept[i].file, expected[i].file);
            QCOMPARE(kept[i].prompt, expected[i].prompt);
            for (const char* name : {field::kRound, field::kReward, field::kGoldReward, field::kPromptReward, field::kPromptPlace,
                     field::kPrompts, field::kPlace, field::kSamples})
                QCOMPARE(kept[i].numbers.at(name), expected[i].numbers.at(name));
            QVERIFY(!bytesOf(one, kept[i].file).isEmpty());
            QCOMPARE(bytesOf(two, kept[i].file), bytesOf(one, kept[i].file));
            QVERIFY(bytesOf(one, kept[i].file).contains("watched reward"));
        }
        // What the metrics say of the same round.
        QVERIFY(kept[0].numbers.at(field::kReward) <= one.metric("critic/rewards/max").at(0));
        QVERIFY(kept[3].numbers.at(field::kReward) >= one.metric("critic/rewards/min").at(0));
        QVERIFY(kept[0].numbers.at(field::kReward) > kept[1].numbers.at(field::kReward));
        QVERIFY(kept[0].numbers.at(field::kPromptReward) > kept[2].numbers.at(field::kPromptReward));
        QVERIFY(kept[0].prompt.starts_with("digit ") && kept[0].prompt == kept[1].prompt);
    }

    void onlyThoseOfSomeRoundsAreKept_data()
    {
        QTest::addColumn<int>("every");
        QTest::addColumn<std::vector<int>>("rounds");
        QTest::newRow("every second round") << 2 << std::vector {1, 3};
        QTest::newRow("none") << 0 << std::vector<int>();
    }
    void onlyThoseOfSomeRoundsAreKept()
    {
        QFETCH(int, every);
        QFETCH(std::vector<int>, rounds);
        WorkerRun run(experiment(1, every, 4, m_base.path()));
        QCOMPARE(run.run(), (std::vector {0}));
        std::vector<int> kept;
        for (const Kept& sample : keptSamples(run)) {
            if (kept.empty() || kept.back() != sample.numbers.at(field::kRound))
                kept.push_back(static_cast<int>(sample.numbers.at(field::kRound)));
        }
        QCOMPARE(kept, rounds);
        QCOMPARE(run.metric("timing_s/update_actor").size(), std::size_t {4});  // an update a round
        QVERIFY(run.hasText(contract::record::kActivity, "message", "draws and scores samples of round 4"));
        QVERIFY(!run.hasText(contract::record::kEvent, "message", "draws and scores"));
    }
};

QTEST_GUILESS_MAIN(KeptSamplesTest)
#include "tst_kept_samples.moc"
