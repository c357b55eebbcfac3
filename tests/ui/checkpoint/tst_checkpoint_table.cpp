// M11: the table of checkpoints, its marks, and the buttons above it.
#include "ui/checkpoint/checkpoint_model.h"
#include "ui/checkpoint/checkpoints_bar.h"

#include "engine/contract/attempt/attempt.h"
#include "engine/contract/formats/output_file.h"
#include "tests/ui/support/test_home.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/base/format.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <cmath>

using namespace ui;

namespace {

storage::CheckpointRow row(std::int64_t step, double validation, bool isPinned = false)
{
    return {.step = step, .path = "checkpoints/step-" + std::to_string(step), .unixMs = step * 1000, .bytes = 1000 * step,
        .isPinned = isPinned, .metrics = {{"loss", 1.0 / static_cast<double>(step)}, {"validation/loss", validation}}};
}

}  // namespace

class CheckpointTableTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void latestBestAndPinnedAreMarked()
    {
        CheckpointModel model;
        QAbstractItemModelTester tester(&model);
        model.setCheckpoints("run", {row(100, 0.5), row(200, 0.2, true), row(300, 0.3)});
        QCOMPARE(model.bestRow(), 1);
        QCOMPARE(model.latestRow(), 2);
        const auto marks = [&](int at) { return model.index(at, CheckpointModel::Marks).data().toString(); };
        QCOMPARE(marks(0), QString());
        QVERIFY(marks(1).contains("best") && marks(1).contains("pinned"));
        QCOMPARE(marks(2), QStringLiteral("latest"));
    }

    void rowsComeAndGoWithoutAReset()
    {
        CheckpointModel model;
        QAbstractItemModelTester tester(&model);
        model.setCheckpoints("run", {row(100, 0.5), row(200, 0.2)});
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        model.setCheckpoints("run", {row(200, 0.2, true), row(300, 0.1)});
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.checkpoint(0).step, 200);
        QVERIFY(model.checkpoint(0).isPinned);
        QCOMPARE(model.bestRow(), 1);
        QCOMPARE(resets.count(), 0);
        model.setCheckpoints("other", {row(1, 1)});
        QCOMPARE(resets.count(), 1);
    }

    void withoutAValidationLossTheLossDecides()
    {
        auto only = row(100, 0);
        only.metrics = {{"loss", 3}};
        auto better = row(200, 0);
        better.metrics = {{"loss", 2}};
        auto unknown = row(300, 0);
        unknown.metrics = {};
        CheckpointModel model;
        model.setCheckpoints("run", {only, better, unknown});
        QCOMPARE(model.bestRow(), 1);
    }

    void M11_theBestIsThatOfTheRunsOwnMeasure_data()
    {
        QTest::addColumn<QString>("metric");
        QTest::addColumn<bool>("isHighestBest");
        QTest::addColumn<int>("best");
        QTest::addColumn<bool>("hasColumn");
        QTest::newRow("M11 the highest reward") << "judge/reward" << true << 2 << true;
        QTest::newRow("M11 the lowest of another") << "judge/reward" << false << 0 << true;
        QTest::newRow("M11 the highest loss") << "loss" << true << 0 << false;
        QTest::newRow("M11 one that no checkpoint has: the lowest loss") << "absent" << true << 1 << true;
    }
    void M11_theBestIsThatOfTheRunsOwnMeasure()
    {
        QFETCH(QString, metric);
        QFETCH(bool, isHighestBest);
        std::vector<storage::CheckpointRow> rows(3);
        const double losses[] = {0.5, 0.1, 0.3}, rewards[] = {0.2, std::nan(""), 0.9};
        for (std::size_t i = 0; i < rows.size(); ++i) {
            rows[i].step = static_cast<std::int64_t>(i) + 1;
            rows[i].metrics = {{"judge/reward", rewards[i]}, {"loss", losses[i]}};
        }
        CheckpointModel model;
        model.setCheckpoints("run", rows);
        QCOMPARE(model.bestRow(), 1);
        model.setMeasure({.metric = metric.toStdString(), .isHighestBest = isHighestBest});
        QTEST(model.bestRow(), "best");
        QTEST(model.hasMeasureOfItsOwn(), "hasColumn");
        QCOMPARE(model.headerData(CheckpointModel::Measured, Qt::Horizontal, Qt::DisplayRole).toString(), metric);
        QCOMPARE(model.index(2, CheckpointModel::Loss).data(Qt::ToolTipRole).toString(), formatExact(0.3));
    }

    void M11_theMeasureIsAnOptionOfTheRun()
    {
        const ui_test::TestHome home;
        const contract::RunFolder run = home.writeRun("digits-20261121-100000-aaaa", 3, "finished");
        contract::Experiment experiment = contract::experimentOf(run, 1);
        experiment.setText("checkpoint.best_metric", "judge/reward");
        experiment.setText("checkpoint.best_is", "highest");
        contract::writeFileAtomically(run.config(1), experiment.toToml(contract::Experiment::Write::Everything));
        home.ingest();
        const storage::Store store(home.home().database());
        QVERIFY(checkpointMeasure(store, run.id()) == (CheckpointMeasure {.metric = "judge/reward", .isHighestBest = true}));
        QVERIFY(checkpointMeasure(store, "no-such-run") == CheckpointMeasure());
    }

    void M11_aButtonSaysWhyItCannotBePressed_data()
    {
        QTest::addColumn<CheckpointsBar::Choice>("choice");
        QTest::addColumn<QString>("button");
        QTest::addColumn<QString>("why");  // empty: it can be pressed
        using Choice = CheckpointsBar::Choice;
        QTest::newRow("M11 resume") << Choice {.selected = 1, .noResume = {}, .noFiles = {}, .noAction = {}} << "Resume from here" << "";
        QTest::newRow("M11 an active run") << Choice {.selected = 1, .noResume = "It is active.", .noFiles = {}, .noAction = {}} << "Resume from here" << "It is active.";
        QTest::newRow("M11 resume from two") << Choice {.selected = 2, .noResume = {}, .noFiles = {}, .noAction = {}} << "Resume from here" << "Select one checkpoint.";
        QTest::newRow("M11 compare one") << Choice {.selected = 1, .noResume = {}, .noFiles = {}, .noAction = {}} << "Compare…" << "Select two checkpoints.";
        QTest::newRow("M11 nothing to delete") << Choice {} << "Delete…" << "Select a checkpoint.";
        QTest::newRow("M11 files elsewhere") << Choice {.selected = 1, .noResume = {}, .noFiles = "They are on box.", .noAction = {}} << "Open folder" << "They are on box.";
        QTest::newRow("M11 no connection") << Choice {.selected = 1, .noResume = {}, .noFiles = {}, .noAction = "No connection."} << "Verify" << "No connection.";
    }
    void M11_aButtonSaysWhyItCannotBePressed()
    {
        QFETCH(CheckpointsBar::Choice, choice);
        QFETCH(QString, button);
        QFETCH(QString, why);
        CheckpointsBar bar;
        bar.setChoice(choice);
        const auto buttons = bar.findChildren<QToolButton*>();
        const auto found = std::ranges::find(buttons, button, &QToolButton::text);
        QVERIFY(found != buttons.end());
        QCOMPARE((*found)->isEnabled(), why.isEmpty());
        QVERIFY2((*found)->toolTip().endsWith(why), qPrintable((*found)->toolTip()));
    }
};

ATELIER_UI_TEST_MAIN(CheckpointTableTest)
#include "tst_checkpoint_table.moc"
