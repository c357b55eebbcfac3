// M7: samples seen and epochs on the x axis, from what each attempt's journal says of its pace.
#include "tests/ui/plot/plots_world.h"

#include "ui/plot/canvas/plot_input.h"
#include "ui/plot/canvas/readout.h"
#include "ui/plot/lines/group_line.h"

#include <QLabel>
#include <QTest>

#include <cmath>

using namespace ui;
namespace metric = contract::metric;

namespace {

void addPace(synthetic::Attempt& attempt, std::int64_t step, std::int64_t samples, std::int64_t samplesPerStep, double stepsPerEpoch)
{
    attempt.journal(0)
        .begin(contract::record::kPace, step)
        .add(contract::pace::kSamples, samples)
        .add(contract::pace::kSamplesPerStep, samplesPerStep)
        .add(contract::pace::kStepsPerEpoch, stepsPerEpoch)
        .commit();
}

bool hasNote(const PlotPanel& panel, const QString& part)
{
    return std::ranges::any_of(panel.findChildren<QLabel*>(), [&](const QLabel* label) { return label->text().contains(part); });
}

/// A line of @p steps steps, one a second.
std::shared_ptr<LineData> lineOf(const char* run, int steps, const LinePiece& piece)
{
    auto line = std::make_shared<LineData>();
    line->key = {run, "loss", 0};
    std::vector<storage::Point> points;
    for (int step = 1; step <= steps; ++step)
        points.push_back({step, step * 1000.0, 1.0 / step});
    line->points.append(piece, points);
    return line;
}

}  // namespace

class XAxesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// The second attempt has twice the batch, over data of another size: x goes on from what was seen, epoch by the new data's size.
    void m07_samplesAndEpochsFollowEachAttempt()
    {
        PlotsWorld world;
        addPace(world.first, 0, 0, 64, 12.5);  // 800 samples an epoch
        synthetic::Attempt second(world.run, 2, 2, 300);
        addPace(second, 300, 19'200, 128, 5);  // 640
        second.steps(301, 401);
        world.ingest();
        world.open();
        world.draw();
        QTRY_COMPARE(world.points(metric::kLoss), std::size_t(400));
        const LinePoints& points = world.panel(metric::kLoss)->canvas().lines().front().data->points;
        QVERIFY(points.has(XAxis::Samples) && points.has(XAxis::Epochs));
        QCOMPARE(points.x(0, XAxis::Samples), 64.0);
        QCOMPARE(points.x(299, XAxis::Samples), 19'200.0);
        QCOMPARE(points.x(300, XAxis::Samples), 19'328.0);
        QCOMPARE(points.x(399, XAxis::Samples), 32'000.0);
        QCOMPARE(points.x(299, XAxis::Epochs), 24.0);
        QCOMPARE(points.x(399, XAxis::Epochs), 50.0);
        QCOMPARE(points.nearest(19'300, XAxis::Samples), std::size_t(300));

        world.view->viewState().setXAxis(XAxis::Samples);
        QTRY_COMPARE(world.view->viewState().x().upper, 32'000.0);
        QTRY_COMPARE(world.panel(metric::kLoss)->canvas().drawn().points, std::size_t(400 + 8));  // with the validation's
        QVERIFY(!hasNote(*world.panel(metric::kLoss), QStringLiteral("without")));
        world.view->viewState().setXAxis(XAxis::Epochs);
        QTRY_COMPARE(world.view->viewState().x().upper, 50.0);
    }

    void m07_lessDataInALaterAttemptIsAStretchOfItsOwn()
    {
        auto line = lineOf("a", 10, {.attempt = 1, .samples = {0, 8}, .epochs = {0, 0.5}});
        line->points.append({.attempt = 2, .samples = {0, 8}, .epochs = {0, 0.25}}, std::vector<storage::Point> {{11, 0, 1}, {12, 0, 1}});
        QCOMPARE(line->points.stretches(XAxis::Samples).size(), std::size_t(1));
        const auto stretches = line->points.stretches(XAxis::Epochs);  // 0.5 … 5, then 2.75 … 3
        QCOMPARE(stretches.size(), std::size_t(2));
        QCOMPARE(stretches[1].first, std::size_t(10));
        QCOMPARE(line->points.nearest(5, XAxis::Epochs), std::size_t(9));
    }

    /// An imported run, or one of an earlier version, says nothing of samples: it is not drawn there, and the plot says so.
    void m07_runsThatDoNotSayAreLeftOutInWords()
    {
        PlotsWorld world;
        world.open();
        world.draw();
        QTRY_COMPARE(world.points(metric::kGradNorm), std::size_t(450));
        PlotPanel& panel = *world.panel(metric::kGradNorm);
        world.view->viewState().setXAxis(XAxis::Samples);
        QTRY_VERIFY(hasNote(panel, QStringLiteral("1 line without a count of samples not shown")));
        QCOMPARE(panel.canvas().drawn().points, std::size_t(0));
        world.view->viewState().setXAxis(XAxis::Epochs);
        QTRY_VERIFY(hasNote(panel, QStringLiteral("1 line without epochs not shown")));
        world.view->viewState().setXAxis(XAxis::Step);
        QTRY_COMPARE(panel.canvas().drawn().points, std::size_t(450));
        QVERIFY(!hasNote(panel, QStringLiteral("without")));
    }

    void m07_theCursorSaysSamplesAndEpochs()
    {
        std::vector<DrawnLine> lines(1);
        lines[0].data = lineOf("a", 10, {.samples = {0, 32}, .epochs = {0, 0.25}});
        QCOMPARE(readingsAt(lines, 130, XAxis::Samples).front().step, std::int64_t(4));
        QCOMPARE(readingsAt(lines, 130, XAxis::Samples).front().x, 128.0);
        QCOMPARE(formatX(128, XAxis::Samples), QStringLiteral("128 samples"));
        QCOMPARE(formatX(1.25, XAxis::Epochs), QStringLiteral("epoch %1").arg(QLocale().toString(1.25, 'f', 2)));
        lines[0].data = lineOf("b", 10, {});
        QVERIFY(readingsAt(lines, 1, XAxis::Samples).empty());
        QCOMPARE(readingsAt(lines, 1, XAxis::Step).size(), std::size_t(1));
    }

    /// A group's mean lies at the mean of its runs' places.
    void m07_aGroupLiesAtTheMeanOfItsRuns()
    {
        const auto meanOf = [](const LinePiece& one, const LinePiece& other) {
            GroupLine group({lineOf("a", 10, one), lineOf("b", 10, other)}, {"g", "loss", 0}, Grouping::Band::MinMax);
            group.extend();
            return group.mean;
        };
        const auto mean = meanOf({.samples = {0, 32}, .epochs = {0, 0.25}}, {.samples = {64, 96}, .epochs = {1, 0.5}});
        QCOMPARE(mean->points.x(3, XAxis::Samples), (4 * 32 + 64 + 4 * 96) / 2.0);
        QCOMPARE(mean->points.x(3, XAxis::Epochs), (4 * 0.25 + 1 + 4 * 0.5) / 2);
        QVERIFY(!meanOf({.samples = {0, 32}}, {})->points.has(XAxis::Samples));
    }

    void m07_theKeyGoesThroughAllAxes()
    {
        PlotsWorld world;
        world.open();
        world.draw();
        QTRY_COMPARE(world.points(metric::kLoss), std::size_t(450));
        std::vector<XAxis> seen;
        for (std::size_t press = 0; press < kXAxes.size(); ++press) {
            QTest::keyClick(&world.panel(metric::kLoss)->canvas(), Qt::Key_X);
            seen.push_back(world.view->viewState().xAxis());
        }
        QCOMPARE(seen, (std::vector {XAxis::Samples, XAxis::Epochs, XAxis::ActiveTime, XAxis::WallTime, XAxis::Step}));
    }
};

QTEST_MAIN(XAxesTest)
#include "tst_x_axes.moc"
