// SIGKILL to a rank or to a reward program in every phase of training by a reward, and a stop during the rollout: one clear cause,
// nothing journalled is lost, and what goes on is what an unbroken run does, bit for bit.
#include "engine/contract/run/journal_parser.h"
#include "launcher/state/run_state.h"
#include "tests/app/atelier_program.h"
#include "tests/paths.h"

#include <QDir>
#include <QtTest>

#include <bit>
#include <csignal>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>

using launcher::RunState;
using tests::AtelierProgram;
using tests::Outcome;
using tests::kTimeoutMs;

namespace {

constexpr int kSteps = 12, kUpdates = 4;  // of a round

/// What a step's records say that depends on nothing but the experiment, as bits, by step and name.
using Values = std::multimap<std::pair<std::int64_t, std::string>, std::uint64_t>;

Values valuesOf(const contract::RunFolder& run)
{
    Values values;
    std::ifstream journal(run.journal(0), std::ios::binary);
    contract::JournalParser parser;
    for (std::string text; std::getline(journal, text) && !journal.eof();) {  // at the end of the file: a torn line
        const contract::JournalLine& line = parser.parse(text);
        if (line.type != contract::record::kStep && line.type != contract::record::kMetrics)
            continue;
        for (const contract::JournalField& field : line.fields()) {
            const bool isKept = field.name == "loss" || field.name == "grad_norm" || field.name.starts_with("critic/") || field.name.starts_with("actor/")
                || field.name.starts_with("old_policy/");
            if (isKept && field.isNumber)
                values.emplace(std::pair(line.step, field.name), std::bit_cast<std::uint64_t>(field.number));
        }
    }
    return values;
}

/// The first value that an unbroken run does not have; empty: there is none.
QByteArray difference(const Values& values, const Values& unbroken)
{
    for (const auto& [place, value] : values) {
        const auto expected = unbroken.find(place);
        if (expected == unbroken.end() || expected->second != value)
            return QByteArray::fromStdString(place.second) + " of step " + QByteArray::number(qlonglong(place.first));
    }
    return {};
}

QByteArray processFile(pid_t process, const char* name)
{
    QFile file(QStringLiteral("/proc/%1/%2").arg(process).arg(QLatin1String(name)));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// The process of a rank that has @p text on its command line.
std::optional<pid_t> processOf(const QByteArray& text, int rank)
{
    for (const QString& name : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        const pid_t process = name.toInt();
        if (process > 0 && processFile(process, "cmdline").contains(text) && processFile(process, "environ").split('\0').contains("RANK=" + QByteArray::number(rank)))
            return process;
    }
    return std::nullopt;
}

}  // namespace

class RoundKillsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<AtelierProgram> m_atelier;
    QString m_experiment, m_prompts, m_scorer;
    Values m_unbroken;

    /// A LoRA of a tiny Stable Diffusion 3, in rounds whose phases last some hundred milliseconds each.
    QStringList arguments() const
    {
        QStringList arguments = {"run", m_experiment};
        for (const char* setting : {"algorithm.name=diffusion_nft", "model.name=diffusers", "model.folder=" ATELIER_SOURCE_DIR "/tests/goldens/models/pipeline_sd3/pipeline",
                 "data.resolution=32", "run.device=cpu", "launch.ranks=2", "batch.micro=16", "rollout.prompts=8", "rollout.samples_per_prompt=8", "rollout.steps=5",
                 "policy.kl_coef=0.01", "old.schedule=constant", "old.decay=0.5", "policy.mini_batches=2", "policy.epochs=2", "rollout.keep_every=0", "lora.rank=2", "optim.lr=1e-3", "run.deterministic=true",
                 "sample.every=0", "checkpoint.every=3", "checkpoint.keep=100"})
            arguments << "--set" << setting;
        return arguments << "--set" << "run.total_steps=" + QString::number(kSteps) << "--set" << "rollout.prompt_file=" + m_prompts << "--set"
                         << "reward.functions=program:" + m_scorer + ":1";
    }

    /// Starts a run and waits until it does what @p activity says after its first round. @return its folder
    contract::RunFolder startAndReach(const QString& activity)
    {
        const QStringList before = m_atelier->runs();
        if (m_atelier->runWell(arguments() << "--detach").exitCode != 0)
            qFatal("the run does not start");
        QString id;
        for (const QString& run : m_atelier->runs()) {
            if (!before.contains(run))
                id = run;
        }
        contract::RunFolder folder(m_atelier->home().runs() / id.toStdString());
        const bool isReached = QTest::qWaitFor([&] {
            const launcher::RunStatus status = launcher::inspectRun(folder);
            return status.step >= kUpdates && QString::fromStdString(status.activity).contains(activity);
        }, kTimeoutMs);
        if (!isReached)
            qFatal("the run does not reach \"%s\"", qPrintable(activity));
        return folder;
    }

    /// Lets the run go on, and holds all of its values against the unbroken run's.
    void checkThatItGoesOn(const contract::RunFolder& folder)
    {
        const Values before = valuesOf(folder);
        QCOMPARE(difference(before, m_unbroken), QByteArray());
        const Outcome resumed = m_atelier->runWell({"resume", QString::fromStdString(folder.id())});
        QVERIFY2(resumed.exitCode == 0, resumed.report());
        const Values after = valuesOf(folder);
        QCOMPARE(difference(after, m_unbroken), QByteArray());
        QCOMPARE(difference(m_unbroken, after), QByteArray());  // none is missing
        QVERIFY(after.size() >= before.size() + 2);
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_atelier = std::make_unique<AtelierProgram>();
        m_atelier->setVariable("ATELIER_WORKER", ATELIER_BIN_DIR "/atelier-worker");
        m_experiment = m_atelier->writeFile("kills.toml", "[run]\nname = \"kills\"\n");
        m_prompts = m_atelier->writeFile("prompts.txt", "a red heart\nghost\na green apple\n");
        m_scorer = m_atelier->writeFile("score.py",
            "#!/usr/bin/env python3\n"
            "import json, sys, zlib\n"
            "for line in sys.stdin:\n"
            "    request = json.loads(line)\n"
            "    scores = [zlib.crc32(sample['image'].encode()) % 997 / 997 for sample in request['samples']]\n"
            "    print(json.dumps({'id': request['id'], 'scores': scores}), flush=True)\n");
        QVERIFY(QFile::setPermissions(m_scorer, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        QVERIFY(m_atelier->runWell(arguments()).exitCode == 0);
        m_unbroken = valuesOf(m_atelier->onlyRun());
        QVERIFY(m_unbroken.size() > kSteps * 4);
    }
    void cleanupTestCase() { m_atelier.reset(); }

    void aKillIsOneCauseAndResumingGoesOn_data()
    {
        QTest::addColumn<QString>("activity");
        QTest::addColumn<bool>("isProgram");
        QTest::addColumn<int>("rank");
        const QString draws = "draws and scores samples", predicts = "predicts with the reference", trains = "trains";
        QTest::newRow("rank 0 while it draws") << draws << false << 0;
        QTest::newRow("rank 1 while it predicts") << predicts << false << 1;
        QTest::newRow("rank 0 while it trains") << trains << false << 0;
        QTest::newRow("rank 1 while it trains") << trains << false << 1;
        QTest::newRow("reward program of rank 1 while that draws") << draws << true << 1;
        QTest::newRow("reward program of rank 1 while that trains") << trains << true << 1;
    }
    void aKillIsOneCauseAndResumingGoesOn()
    {
        QFETCH(QString, activity);
        QFETCH(bool, isProgram);
        QFETCH(int, rank);
        const contract::RunFolder folder = startAndReach(activity);
        const std::optional<pid_t> process = processOf(isProgram ? m_scorer.toUtf8() : QByteArray::fromStdString(folder.root().string()), rank);
        QVERIFY(process);
        ::kill(*process, SIGKILL);
        // A program that has answered all requests is missed in the next round, or never.
        QTRY_VERIFY_WITH_TIMEOUT(!launcher::isActive(launcher::inspectRun(folder).state), kTimeoutMs);
        const launcher::RunStatus status = launcher::inspectRun(folder);
        const QByteArray cause = QByteArray::fromStdString(status.cause);
        QVERIFY2(status.state == RunState::Failed, cause);
        const QByteArray expected = isProgram ? "/score.py\" was killed by signal 9" : "Rank " + QByteArray::number(rank) + " was killed (signal 9";
        QVERIFY2(cause.contains(expected) && cause.count("signal 9") == 1 && cause.count('\n') == 0, cause);
        checkThatItGoesOn(folder);
    }

    /// A round can last many minutes, and whoever stops does not wait for its end. Here it lasts less than a second, in which a stop must come:
    /// on a busy machine not the first may.
    void aStopDuringTheRolloutDropsIt_E133()
    {
        bool isDropped = false;
        for (int stops = 0; stops < 10 && !isDropped; ++stops) {
            const contract::RunFolder folder = startAndReach("draws and scores samples");
            m_atelier->runWell({"stop", QString::fromStdString(folder.id()), "--wait"});
            if (launcher::inspectRun(folder).state == RunState::Finished)
                continue;
            QCOMPARE(launcher::inspectRun(folder).state, RunState::Stopped);
            QVERIFY(folder.checkpointSteps().back() < kSteps);
            isDropped = folder.checkpointSteps().back() % kUpdates == 0;
            checkThatItGoesOn(folder);
        }
        QVERIFY(isDropped);
    }
};

QTEST_GUILESS_MAIN(RoundKillsTest)
#include "tst_round_kills.moc"
