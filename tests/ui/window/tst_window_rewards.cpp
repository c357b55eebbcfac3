// What the real window shows of a run that is trained by a reward: its curves, the best and worst samples of its rounds, and what it
// does now.
#include "engine/contract/run/journal_writer.h"
#include "launcher/state/run_state.h"
#include "tests/paths.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/gallery/gallery_view.h"
#include "ui/plot/canvas/plot_panel.h"
#include "ui/plot/plots_view.h"

#include <QImage>
#include <QLabel>
#include <QTabWidget>

#include <cmath>

using ui::Extreme;
using ui::SampleKind;
using ui_test::kTimeoutMs;
using ui_test::OpenWindow;
namespace metric = contract::metric;
namespace field = contract::standing;

namespace {

constexpr int kRounds = 6;
constexpr char kRewarded[] = "reward-20261121-101500-abcd";

/// A round's mean reward, in a spread from 0.1 below to 0.2 above it.
double rewardOf(int round) { return 0.3 + 0.05 * round; }

void writeImage(const contract::RunFolder& run, const std::string& file, QRgb colour)
{
    QImage image(24, 24, QImage::Format_RGB32);
    image.fill(colour);
    QVERIFY(image.save(QString::fromStdString((run.root() / file).string())));
}

void writeSample(contract::JournalWriter& journal, const contract::RunFolder& run, int round, int promptPlace, int place, double reward)
{
    const std::string file = "samples/round-" + std::to_string(round) + "-" + std::to_string(promptPlace) + "-" + std::to_string(place) + ".png";
    writeImage(run, file, promptPlace == 1 ? 0xff306090 : 0xff903060);
    journal.begin(contract::record::kSample, 2 * round)
        .add("file", file)
        .add("prompt", promptPlace == 1 ? "a red heart" : "a blue cube")
        .add("seed", std::int64_t {42})
        .add("guidance", 1.0)
        .add(field::kRound, std::int64_t {round})
        .add(field::kReward, reward)
        .add(field::kGoldReward, reward / 2)
        .add(field::kPromptReward, promptPlace == 1 ? 0.5 : 0.25)
        .add(field::kPromptPlace, std::int64_t {promptPlace})
        .add(field::kPrompts, std::int64_t {16})
        .add(field::kPlace, std::int64_t {place})
        .add(field::kSamples, std::int64_t {8})
        .commit();
}

/// Two updates a round; samples are kept of rounds 1 and 6.
contract::RunFolder writeRewardRun(const ui_test::TestHome& home)
{
    const contract::RunFolder run = home.writeRun(kRewarded, 2 * kRounds, "finished");
    contract::JournalHeader header;
    header.run = run.id();
    contract::JournalWriter journal(run.journal(0), header);
    for (int round = 1; round <= kRounds; ++round) {
        const double reward = rewardOf(round);
        journal.begin(contract::record::kMetrics, 2 * (round - 1))
            .add(metric::kReward, reward)
            .add(metric::kLowestReward, reward - 0.1)
            .add(metric::kHighestReward, reward + 0.2)
            .add("critic/gold/mean", reward / 2)
            .add("timing_s/gen", 3.5)
            .add("timing_s/update_actor", 1.5)
            .commit();
        for (int update = 1; update <= 2; ++update)
            journal.begin(contract::record::kMetrics, 2 * (round - 1) + update)
                .add(metric::kClipped, 0.25)
                .add("actor/ratio_mean", 1.0)
                .add(metric::kPolicyDivergence, 0.001)
                .commit();
        if (round != 1 && round != kRounds)
            continue;
        for (const int promptPlace : {1, 16}) {
            writeSample(journal, run, round, promptPlace, 1, 0.75 / promptPlace + 0.01 * round);
            writeSample(journal, run, round, promptPlace, 8, 0.5 / promptPlace + 0.01 * round);
        }
    }
    writeImage(run, "samples/step-12.png", 0xff808080);
    journal.begin(contract::record::kSample, 12)
        .add("file", "samples/step-12.png")
        .add("prompt", "a green ball")
        .add("seed", std::int64_t {42})
        .add("guidance", 1.0)
        .add("weights", "model")
        .commit();
    home.ingest();
    return run;
}

}  // namespace

class WindowRewardsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    void openOnRewardRun()
    {
        writeRewardRun(*m_home);
        m_window = std::make_unique<OpenWindow>(m_home->home());
        QTRY_VERIFY(m_window->entry(kRewarded));
        m_window->bench().selection.setInspected(kRewarded);
        m_window->bench().selection.setDrawn(kRewarded, true);
    }

    ui::GalleryView& gallery()
    {
        (*m_window)->tabs().setCurrentIndex(1);
        return *(*m_window)->findChild<ui::GalleryView*>();
    }

    const std::vector<ui::PlotPanel*>& panels() { return (*m_window)->findChild<ui::PlotsView*>()->panels(); }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("ATELIER_PROGRAM", ATELIER_BIN_DIR "/atelier");
        qputenv("ATELIER_WORKER", FAKE_WORKER);
    }
    void init() { m_home = std::make_unique<ui_test::TestHome>(); }
    void cleanup()
    {
        m_window.reset();
        QVERIFY(ui_test::endRuns(m_home->home()));
        m_home.reset();
    }

    void bestAndWorstStandSideBySideApartFromOtherSamples()
    {
        openOnRewardRun();
        ui::GalleryView& view = gallery();
        QTRY_COMPARE_WITH_TIMEOUT(view.roundsGrid().grid().rows(), 2, kTimeoutMs);
        QCOMPARE(view.shownKind(), SampleKind::OfModel);
        QCOMPARE(view.grid().grid().sampleCount(), std::size_t {1});
        QCOMPARE(view.grid().currentSample()->prompt, std::string("a green ball"));
        view.grid().setFocus();
        QTest::keyClick(&view.grid(), Qt::Key_R);
        QCOMPARE(view.shownKind(), SampleKind::OfRound);
        ui::GalleryGrid& rounds = view.roundsGrid();
        QVERIFY(rounds.isVisible() && !view.grid().isVisible());
        QCOMPARE(rounds.grid().columns(), 4);
        const std::vector<Extreme> order = {Extreme::BestOfBest, Extreme::WorstOfBest, Extreme::BestOfWorst, Extreme::WorstOfWorst};
        for (int column = 0; column < 4; ++column) {
            QCOMPARE(*rounds.grid().column(column).extreme, order[static_cast<std::size_t>(column)]);
            const storage::Standing& standing = *rounds.grid().sample(1, column)->standing;
            QCOMPARE(standing.promptPlace, column < 2 ? 1 : 16);
            QCOMPARE(standing.place, column % 2 == 0 ? 1 : 8);
        }
        QTRY_VERIFY(rounds.cache().find(rounds.currentFile()) && !rounds.cache().find(rounds.currentFile())->pixels.isNull());
    }

    void theKeysStepOverRoundsAndEachSaysItsReward()
    {
        openOnRewardRun();
        ui::GalleryView& view = gallery();
        QTRY_COMPARE_WITH_TIMEOUT(view.roundsGrid().grid().rows(), 2, kTimeoutMs);
        view.setKind(SampleKind::OfRound);
        ui::GalleryGrid& rounds = view.roundsGrid();
        rounds.setFocus();
        QCOMPARE(rounds.currentSample()->standing->round, std::int64_t {kRounds});  // the newest
        QTest::keyClick(&rounds, Qt::Key_Up);
        QCOMPARE(rounds.currentSample()->standing->round, std::int64_t {1});
        QTest::keyClick(&rounds, Qt::Key_Right);
        QCOMPARE(rounds.accessibleDescription(),
            QStringLiteral("Best prompt: worst sample, round 1, a red heart, reward 0.51, worst of 8\nwatched reward 0.255\n"
                           "mean of the prompt 0.5, best of 16"));
        QStringList texts;
        for (const QLabel* label : view.findChildren<QLabel*>())
            texts << label->text();
        QVERIFY2(texts.join(QLatin1Char('|')).contains("round 1, after step 2\nreward 0.51, worst of 8"), qPrintable(texts.join('|')));
        QTest::keyClick(&rounds, Qt::Key_R);
        QCOMPARE(view.shownKind(), SampleKind::OfModel);
        QTest::keyClick(&view.grid(), Qt::Key_R);
        QCOMPARE(rounds.currentSample()->standing->round, std::int64_t {1});  // the place where the user was looking
    }

    /// The text below an image is painted, not only told to a screen reader.
    void theRewardIsPaintedBelowItsImage()
    {
        const auto painted = [](double reward) {
            storage::SampleRow sample {.step = 1, .attempt = 1, .file = "none.png", .prompt = "a red heart", .seed = 1, .guidance = 1, .weights = {}};
            sample.standing = storage::Standing {.round = 1, .reward = reward, .promptReward = 0.5, .goldReward = {}, .promptPlace = 1,
                .prompts = 1, .place = 1, .samples = 2};
            ui::GalleryGrid grid;
            grid.resize(400, 300);
            grid.setGrid("run", "/nowhere", ui::SampleGrid({sample}, SampleKind::OfRound));
            return grid.grab().toImage();
        };
        QCOMPARE(painted(0.25), painted(0.25));
        QVERIFY(painted(0.25) != painted(0.5));
    }

    void aRunWithoutRoundsShowsNoChoice()
    {
        m_home->writeRun(kRewarded, 12, "finished");
        m_home->ingest();
        m_window = std::make_unique<OpenWindow>(m_home->home());
        QTRY_VERIFY(m_window->entry(kRewarded));
        m_window->bench().selection.setInspected(kRewarded);
        ui::GalleryView& view = gallery();
        view.setKind(SampleKind::OfRound);
        QCOMPARE(view.shownKind(), SampleKind::OfModel);
        QTRY_VERIFY(!ui_test::emptySentence(view).isEmpty());
    }

    void theRewardsComeFirstAndThenWhatTellsOfTheUpdate()
    {
        openOnRewardRun();
        QTRY_VERIFY_WITH_TIMEOUT(panels().size() > 6, kTimeoutMs);
        const std::vector<std::string> ids = {metric::kReward, metric::kClipped, "actor/ratio_mean", metric::kPolicyDivergence,
            "timing_s/gen", metric::kLoss};
        for (std::size_t place = 0; place < ids.size(); ++place)
            QCOMPARE(panels()[place]->group().id, ids[place]);
        const ui::PlotGroup& rewards = panels()[0]->group();
        QVERIFY(std::ranges::find(rewards.metrics, "critic/gold/mean") != rewards.metrics.end());
        QCOMPARE(panels()[4]->group().metrics.size(), std::size_t {2});
    }

    /// Filled between the lowest and the highest reward, and nowhere else.
    void theSpreadOfTheRewardsIsFilled()
    {
        openOnRewardRun();
        QTRY_VERIFY_WITH_TIMEOUT(!panels().empty() && panels()[0]->canvas().lines().size() == 4, kTimeoutMs);
        ui::PlotCanvas& canvas = panels()[0]->canvas();
        QTRY_VERIFY(canvas.drawn().points > 0);
        canvas.xAxis->grid()->setVisible(false);
        canvas.yAxis->grid()->setVisible(false);
        canvas.replot();
        const QImage image = canvas.grab().toImage();
        const auto colourAt = [&](double step, double value) {
            return image.pixelColor(static_cast<int>(canvas.xAxis->coordToPixel(step)), static_cast<int>(canvas.yAxis->coordToPixel(value)));
        };
        const QColor base = canvas.palette().color(QPalette::Base);
        const double step = 5, mean = rewardOf(3) + 0.025;  // between two rounds
        const QColor inside = colourAt(step, mean + 0.1);
        QVERIFY2(inside != base, qPrintable(inside.name()));
        QCOMPARE(colourAt(step, mean + 0.15), inside);
        QCOMPARE(colourAt(step, mean - 0.05), inside);
        QCOMPARE(colourAt(step, mean + 0.23), base);
        QCOMPARE(colourAt(step, mean - 0.13), base);
    }

    /// With a real supervisor, and ranks that only pretend.
    void theWindowSaysWhatTheRunDoesNow()
    {
        qputenv("FAKE_STEP_MS", "50");
        qputenv("FAKE_ACTIVITY", "draws and scores samples of round 3");
        m_window = std::make_unique<OpenWindow>(m_home->home());
        const QString id = m_window->start(ui_test::plainExperiment(100'000));
        QVERIFY(m_window->becomes(id, launcher::RunState::Running));
        m_window->bench().selection.setInspected(id);
        auto* now = (*m_window)->findChild<QLabel*>(QStringLiteral("now"));
        QTRY_COMPARE_WITH_TIMEOUT(now->text(), QStringLiteral("draws and scores samples of round 3"), kTimeoutMs);
        QVERIFY(now->isVisibleTo(now->parentWidget()));
        qunsetenv("FAKE_ACTIVITY");
    }
};

ATELIER_UI_TEST_MAIN(WindowRewardsTest)
#include "tst_window_rewards.moc"
