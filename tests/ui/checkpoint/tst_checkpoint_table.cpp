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

ListedCheckpoint row(std::int64_t step, double validation, bool isPinned = false)
{
    return {{.step = step, .path = "checkpoints/step-" + std::to_string(step), .unixMs = step * 1000, .bytes = 1000 * step,
        .isPinned = isPinned, .metrics = {{"loss", 1.0 / static_cast<double>(step)}, {"validation/loss", validation}}}};
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

    /// The run was resumed from step 100, so it would not go on from 200 or 300.
    void M11_abandonedCheckpointsAreNotTheLatest()
    {
        CheckpointModel model;
        QAbstractItemModelTester tester(&model);
        std::vector rows = {row(100, 0.5), row(200, 0.2), row(300, 0.3)};
        model.setCheckpoints("run", rows);
        const auto latest = [&] {
            QList<int> marked;
            for (int at = 0; at < model.rowCount(); ++at) {
                if (model.index(at, CheckpointModel::Marks).data().toString().contains("latest"))
                    marked << at;
            }
            return marked;
        };
        QCOMPARE(latest(), QList {2});
        rows[1].isAbandoned = rows[2].isAbandoned = true;
        model.setCheckpoints("run", rows);
        QCOMPARE(latest(), QList {0});
        QCOMPARE(model.latestRow(), 0);
        rows[0].isAbandoned = true;
        model.setCheckpoints("run", rows);
        QCOMPARE(latest(), QList<int> {});
        QCOMPARE(model.latestRow(), -1);
    }

    /// The former one of step 300 would be the best, and the damaged one the latest.
    void M11_damagedAndFormerCheckpointsAreNeitherTheLatestNorTheBest()
    {
        CheckpointModel model;
        QAbstractItemModelTester tester(&model);
        auto former = row(300, 0.1, true), damaged = row(400, 0);
        former.path += "-former-1";
        former.isFormer = true;
        damaged.metrics = {};
        damaged.damage = "the manifest is cut off";
        model.setCheckpoints("run", {row(200, 0.2), row(300, 0.3), damaged});
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        model.setCheckpoints("run", {row(200, 0.2), row(300, 0.3), former, damaged});
        QCOMPARE(resets.count(), 0);
        QCOMPARE(model.rowCount(), 4);
        QCOMPARE(model.bestRow(), 0);
        QCOMPARE(model.latestRow(), 1);
        const auto marks = [&](int at) { return model.index(at, CheckpointModel::Marks).data().toString(); };
        QCOMPARE(marks(1), QStringLiteral("latest"));
        QCOMPARE(marks(2), QStringLiteral("former · ⚑ pinned"));
        QCOMPARE(marks(3), QStringLiteral("damaged: the manifest is cut off"));
        model.setCheckpoints("run", {row(200, 0.2), row(300, 0.3), damaged});
        QCOMPARE(resets.count(), 0);
        QCOMPARE(marks(2), QStringLiteral("damaged: the manifest is cut off"));
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
        std::vector<ListedCheckpoint> rows(3);
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
        const contract::RunFolder rewarded = home.writeRun("digits-20261121-110000-bbbb", 3, "finished");
        experiment = contract::experimentOf(rewarded, 1);
        experiment.setText("algorithm.name", "flow_grpo");
        contract::writeFileAtomically(rewarded.config(1), experiment.toToml(contract::Experiment::Write::Everything));
        home.ingest();
        QVERIFY(checkpointMeasure(store, rewarded.id()) == (CheckpointMeasure {.metric = "critic/rewards/mean", .isHighestBest = true}));
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
        QTest::newRow("M11 nothing to delete") << Choice {} << "Delete" << "Select a checkpoint.";
        QTest::newRow("M11 files elsewhere") << Choice {.selected = 1, .noResume = {}, .noFiles = "They are on box.", .noAction = {}} << "Open folder" << "They are on box.";
        const Choice damaged {.selected = 1, .noResume = {}, .noFiles = {}, .noAction = {}, .noReading = "It is damaged."};
        for (const char* reader : {"Resume from here", "Export…"})
            QTest::addRow("M11 damaged: %s", reader) << damaged << reader << "It is damaged.";
        for (const char* other : {"Verify", "Pin", "Open folder", "Delete"})
            QTest::addRow("M11 damaged: %s", other) << damaged << other << "";
        QTest::newRow("M11 no connection") << Choice {.selected = 1, .noResume = {}, .noFiles = {}, .noAction = "No connection."} << "Verify" << "No connection.";
    }
    void M11_aButtonSaysWhyItCannotBePressed()
    {
        QFETCH(CheckpointsBar::Choice, choice);
        QFETCH(QString, button);
        QFETCH(QString, why);
        ui::ActionRegistry actions;
        QWidget view;
        CheckpointsBar bar(actions, view);
        bar.setChoice(choice);
        const auto buttons = bar.findChildren<QToolButton*>();
        const auto found = std::ranges::find(buttons, button, &QToolButton::text);
        QVERIFY(found != buttons.end());
        QCOMPARE((*found)->isEnabled(), why.isEmpty());
        QVERIFY2((*found)->toolTip().contains(why), qPrintable((*found)->toolTip()));
        QCOMPARE(actions.reason((*found)->defaultAction()->objectName()), why);
    }
};

ATELIER_UI_TEST_MAIN(CheckpointTableTest)
#include "tst_checkpoint_table.moc"
