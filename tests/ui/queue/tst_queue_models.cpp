// E1: the tables of the queue and of its plan.
#include "ui/base/look.h"
#include "ui/queue/queue_model.h"
#include "ui/queue/queue_plan_model.h"
#include "ui/queue/state_icon.h"

#include <QAbstractItemModelTester>
#include <QGuiApplication>
#include <QImage>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>

using namespace ui;

class QueueModelsTest : public QObject {
    Q_OBJECT

    Selection m_selection;
    RunsModel m_runs {m_selection};

    static QueueState stateOf(const std::vector<std::string>& started, const std::vector<std::string>& waiting)
    {
        QueueState state;
        for (const std::string& run : started)
            state.queue.started.push_back({.run = run, .problem = {}});
        for (const std::string& run : waiting) {
            state.queue.waiting.push_back({.run = run, .problem = {}});
            state.reasons.push_back("another run");
        }
        return state;
    }

private Q_SLOTS:
    void e01_theQueueIsAModel()
    {
        QueueModel model(m_runs);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        model.setState(stateOf({}, {"a", "b"}));
        model.setState(stateOf({"a"}, {"b", "c"}));
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(model.rowOf("c"), 2);
        QCOMPARE(reset.count(), 2);
        QueueState held = stateOf({"a"}, {"b", "c"});
        held.queue.waiting.front().isHeld = true;
        model.setState(held);
        QCOMPARE(reset.count(), 2);
        QCOMPARE(model.index(1, QueueModel::State).data().toString(), QStringLiteral("Held"));
        model.setState({});
        QCOMPARE(model.rowCount(), 0);
    }

    void E11_glyphsInSelectedRowsKeepTheirContrast()
    {
        for (const launcher::RunState state : {launcher::RunState::Stalled, launcher::RunState::Running, launcher::RunState::Failed}) {
            const QColor highlight = QGuiApplication::palette().color(QPalette::Highlight);
            const QImage image = stateIcon(state).pixmap(QSize(16, 16), 2.0, QIcon::Selected).toImage();
            double best = 0;
            for (int y = 0; y < image.height(); ++y) {
                for (int x = 0; x < image.width(); ++x) {
                    if (const QColor colour = image.pixelColor(x, y); colour.alpha() == 255)
                        best = std::max(best, contrast(colour, highlight));
                }
            }
            QVERIFY(best >= 3.0);
        }
    }

    void e01_thePlanIsAModel()
    {
        using Kind = launcher::PlanBar::Kind;
        QueuePlanModel model(m_runs);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        std::vector<launcher::PlanBar> bars(4);
        for (std::size_t row = 0; row < bars.size(); ++row) {
            bars[row].run = std::string(1, static_cast<char>('a' + row));
            bars[row].kind = std::vector {Kind::Active, Kind::Waiting, Kind::Held, Kind::NeverFits}[row];
        }
        bars[0].end = std::chrono::minutes(5);
        model.setPlan(bars, 1795255200000);
        QCOMPARE(model.rowCount(), 4);
        bars[0].end = std::chrono::minutes(4);
        model.setPlan(bars, 1795255260000);
        bars.erase(bars.begin());
        model.setPlan(bars, 1795255260000);
        QCOMPARE(model.rowCount(), 3);
        model.setPlan({}, 1795255260000);
        QCOMPARE(reset.count(), 3);  // not where the rows were the same
    }
};

QTEST_MAIN(QueueModelsTest)
#include "tst_queue_models.moc"
