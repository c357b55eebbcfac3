// N12: when the runs in a queue start and end: small queues, worked out by hand, and where durations come from.
#include "tests/launcher/run_facts.h"
#include "tests/launcher/test_home.h"

#include "launcher/plan/estimate.h"
#include "launcher/runs/launch.h"
#include "launcher/scheduler/queue_outlook.h"
#include "launcher/scheduler/queue_plan.h"
#include "launcher/state/active_runs.h"

#include <QtTest>

#include <memory>

using launcher::PlanBar;
using launcher::PlanInput;
using launcher::QueueEntry;
using std::chrono::minutes;
using Kind = launcher::PlanBar::Kind;

namespace {

constexpr int kUnknown = -1;
/// A run that waits in a queue; minutes.
struct Waits {
    const char* run;
    int duration = kUnknown;
    int gpus = 0;
    bool isHeld = false, isUrgent = false;
    std::vector<std::string> chosen = {};
};
struct Runs {
    const char* run;
    int left = kUnknown;
    std::vector<std::string> gpus = {};
};

std::optional<std::chrono::milliseconds> timeOf(int duration)
{
    return duration == kUnknown ? std::nullopt : std::optional<std::chrono::milliseconds>(minutes(duration));
}

/// "b 30-90": it runs from minute 30 to 90; "b 30-?": its end is unknown; "b >30-?": so is its start, which is not before; "b held".
QString planned(int atOnce, const std::vector<std::string>& idle, const std::vector<Runs>& active, const std::vector<Waits>& waiting)
{
    PlanInput input {.atOnce = atOnce, .idleGpus = idle};
    for (const Runs& each : active) {
        launcher::ActiveRun run;
        run.run = each.run;
        run.duration = timeOf(each.left);
        run.since = minutes(10);
        run.gpus = each.gpus;
        input.active.push_back(run);
    }
    for (const Waits& each : waiting) {
        QueueEntry entry;
        entry.run = each.run;
        entry.gpus = each.gpus;
        entry.isHeld = each.isHeld;
        entry.isUrgent = each.isUrgent;
        entry.chosen = each.chosen;
        input.waiting.push_back(entry);
        input.estimates.push_back({each.run, timeOf(each.duration)});
    }
    QStringList texts;
    for (const PlanBar& bar : launcher::planQueue(input)) {
        const QString name = QString::fromStdString(bar.run);
        const auto inMinutes = [](std::chrono::milliseconds time) { return QString::number(std::chrono::duration_cast<minutes>(time).count()); };
        texts << (bar.kind == Kind::Held ? name + " held" : bar.kind == Kind::NeverFits ? name + " never"
                : name + (bar.isStartKnown ? " " : " >") + inMinutes(bar.start) + "-" + (bar.end ? inMinutes(*bar.end) : QString("?")));
    }
    return texts.join(", ");
}

}  // namespace

class QueuePlanTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void N12_placesWithoutGpus()
    {
        QCOMPARE(planned(1, {}, {}, {}), QString());
        QCOMPARE(planned(1, {}, {}, {{"a", 20}, {"b", 30}}), QString("a 0-20, b 20-50"));
        QCOMPARE(planned(1, {}, {{"r", 5}}, {{"a", 20}, {"b", 30}}), QString("r -10-5, a 5-25, b 25-55"));
        // Two places: the second is taken at once, the third when the first of both has ended.
        QCOMPARE(planned(2, {}, {{"r", 15}}, {{"a", 20}, {"b", 30}, {"c", 5}}), QString("r -10-15, a 0-20, b 15-45, c 20-25"));
        // More are active than may be: the queue waits for two ends.
        QCOMPARE(planned(1, {}, {{"r", 15}, {"s", 40}}, {{"a", 20}}), QString("r -10-15, s -10-40, a 40-60"));
    }

    void N12_gpus()
    {
        // Two of three are idle, and r gives one back.
        QCOMPARE(planned(1, {"1", "2"}, {{"r", 15, {"3"}}}, {{"a", 20, 2}, {"b", 10, 1}, {"c", 10, 2}}), QString("r -10-15, a 0-20, b 15-25, c 20-30"));
        // Entries never overtake: b would fit at once, but waits behind a.
        QCOMPARE(planned(1, {"1"}, {{"r", 15, {"2"}}}, {{"a", 20, 2}, {"b", 10, 1}}), QString("r -10-15, a 15-35, b 35-45"));
        // Runs with GPUs take none of the places, and those without no GPUs.
        QCOMPARE(planned(1, {"1"}, {}, {{"a", 20, 1}, {"b", 10}}), QString("a 0-20, b 0-10"));
        // Chosen ones.
        QCOMPARE(planned(1, {"1", "2"}, {{"r", 15, {"3"}}}, {{"a", 20, 2, false, false, {"2", "3"}}}), QString("r -10-15, a 15-35"));
        // Others have them: no run of the plan gives them back.
        QCOMPARE(planned(1, {"1"}, {{"r", 15, {"3"}}}, {{"a", 20, 3}, {"b", 10, 1}}), QString("r -10-15, a never, b >15-?"));
    }

    void N12_heldAndUrgent()
    {
        QCOMPARE(planned(1, {}, {{"r", 5}}, {{"a", 20, 0, true}, {"b", 30}}), QString("r -10-5, a held, b 5-35"));
        // An urgent one starts whatever is free, and takes a place then.
        QCOMPARE(planned(1, {}, {{"r", 5}}, {{"a", 20}, {"b", 30, 0, false, true}}), QString("r -10-5, a 30-50, b 0-30"));
        QCOMPARE(planned(1, {}, {}, {{"a", 20, 0, true, true}}), QString("a held"));
    }

    void N12_whatIsUnknownStaysSo()
    {
        QCOMPARE(planned(1, {}, {}, {{"a"}, {"b", 30}}), QString("a 0-?, b >0-?"));
        // With two places, the other one goes on.
        QCOMPARE(planned(2, {}, {}, {{"a"}, {"b", 30}, {"c", 5}}), QString("a 0-?, b 0-30, c 30-35"));
        QCOMPARE(planned(2, {}, {{"r"}}, {{"a", 10}, {"b"}, {"c", 5}}), QString("r -10-?, a 0-10, b 10-?, c >10-?"));
        QCOMPARE(planned(1, {"1"}, {{"r"}}, {{"a", 10}, {"b", 10, 1}}), QString("r -10-?, a >0-?, b >0-?"));
    }

    /// A trial comes first, then the last run of that name with the same settings, then any of that name.
    void N12_durationsComeFromTrialsAndEarlierRuns()
    {
        TestHome home;
        contract::Experiment experiment = home.experiment();
        QVERIFY(!experiment.set("run.total_steps", std::int64_t {20}));
        const auto basis = [&](const contract::Experiment& of) {
            auto run = launcher::createRun(home.home(), of);
            run.lock.release();
            launcher::Queue queue;
            queue.waiting.push_back(launcher::entryFor(run.folder, 1, of));
            return launcher::outlook(home.home(), queue, {}).estimates.front();
        };
        const launcher::PlannedRun unknown = basis(experiment);
        QVERIFY(!unknown.duration && unknown.basis.starts_with("unknown: "));

        const contract::RunFolder former = launcher::createRun(home.home(), experiment).folder;
        launcher::startSupervisor(former);
        QTRY_COMPARE(stateOf(former), launcher::RunState::Finished);
        contract::Experiment longer = experiment, other = experiment;
        QVERIFY(!longer.set("run.total_steps", std::int64_t {2000}) && !longer.setText("run.seed", "5"));
        QVERIFY(!other.setText("batch.micro", "3"));
        const launcher::PlannedRun same = basis(experiment), hundredfold = basis(longer), changed = basis(other);
        QCOMPARE(same.basis, "as run " + former.id());
        QVERIFY(same.duration && same.duration->count() >= 20 * 20);  // a step of the fake takes 20 ms
        QVERIFY(std::abs(double(hundredfold.duration->count()) - 100.0 * double(same.duration->count())) <= 100);
        QCOMPARE(hundredfold.basis, same.basis);
        QCOMPARE(changed.basis, "as run " + former.id() + ", which had other settings");

        launcher::keepEstimate(home.home(), experiment, {{.steps = 3, .stepMs = 1000}, 0, 0});
        const launcher::PlannedRun tried = basis(longer);
        QCOMPARE(tried.basis, std::string("by a trial"));
        QCOMPARE(tried.duration->count(), 2'000'000);
    }

    void N12_anActiveRunIsPlannedByItsSteps()
    {
        TestHome home;
        contract::Experiment experiment = home.experiment();
        QVERIFY(!experiment.set("run.total_steps", std::int64_t {100'000}));
        const contract::RunFolder run = launcher::createRun(home.home(), experiment).folder;
        launcher::startSupervisor(run);
        QTRY_VERIFY(launcher::inspectRun(run).step > 5);
        QCOMPARE(launcher::activeRuns(home.home()), std::vector<std::string> {run.id()});
        const PlanInput input = launcher::outlook(home.home(), {}, {run.id()});
        QCOMPARE(input.active.size(), std::size_t(1));
        QCOMPARE(input.active[0].basis, std::string("by its steps so far"));
        QVERIFY(input.active[0].since.count() > 0);
        QVERIFY(input.active[0].duration && input.active[0].duration->count() > 20 * 90'000);
    }
};

QTEST_GUILESS_MAIN(QueuePlanTest)
#include "tst_queue_plan.moc"
