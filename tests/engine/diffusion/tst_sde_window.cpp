// Windows of stochastic steps.
#include <ATen/CPUGeneratorImpl.h>

#include "engine/diffusion/sde_window.h"

#include <QtTest>

#include <set>

using engine::SdeWindow;
using engine::SdeWindowOptions;

class SdeWindowTest : public QObject {
    Q_OBJECT

    static std::vector<at::Generator> generators(int count)
    {
        std::vector<at::Generator> result;
        for (int i = 0; i < count; ++i)
            result.push_back(at::detail::createCPUGenerator(static_cast<std::uint64_t>(i)));
        return result;
    }

private Q_SLOTS:
    void everyPlaceOfTheRangeIsDrawn_A041()
    {
        std::set<std::int64_t> starts;
        for (const SdeWindow& window : engine::drawnWindows({2, 1, 6}, 8, 200, generators(200))) {
            QCOMPARE(window.size(), 2);
            QVERIFY(window.contains(window.start) && window.contains(window.end - 1));
            QVERIFY(!window.contains(window.start - 1) && !window.contains(window.end));
            starts.insert(window.start);
        }
        QCOMPARE(starts, (std::set<std::int64_t> {1, 2, 3, 4}));
    }

    void oneGeneratorIsOneDrawForAllRows_A041()
    {
        const auto windows = engine::drawnWindows({1, 0, 50}, 50, 20, generators(1));
        QCOMPARE(std::set<std::int64_t>({windows.front().start}).size(), 1U);
        for (const SdeWindow& window : windows)
            QCOMPARE(window, windows.front());
        const auto own = engine::drawnWindows({1, 0, 50}, 50, 20, generators(20));
        QVERIFY(std::ranges::any_of(own, [&](const SdeWindow& window) { return window != own.front(); }));
        QCOMPARE(engine::drawnWindows({}, 6, 3, {}), std::vector<SdeWindow>(3, {0, 5}));
    }

    void theRandomWindowMovesWithTheStep_A042()
    {
        const SdeWindowOptions options {2, 0, 8};
        std::set<std::int64_t> starts;
        for (std::int64_t step = 0; step < 60; ++step) {
            const SdeWindow window = engine::randomWindow(options, 10, 3, step);
            QCOMPARE(engine::randomWindow(options, 10, 3, step), window);
            // Seed and step are added.
            QCOMPARE(engine::randomWindow(options, 10, 0, step + 3), window);
            QCOMPARE(engine::drawnWindows(options, 10, 1, std::vector {at::detail::createCPUGenerator(static_cast<std::uint64_t>(step) + 3)}).front(), window);
            starts.insert(window.start);
        }
        QCOMPARE(starts.size(), 7U);
    }

    void theProgressiveWindowMovesOn_A043_data()
    {
        QTest::addColumn<qint64>("step");
        QTest::addColumn<qint64>("stepsPerWindow");
        QTest::addColumn<qint64>("start");
        const auto row = [](const char* name, qint64 step, qint64 stepsPerWindow, qint64 start) { QTest::newRow(name) << step << stepsPerWindow << start; };
        row("A-043 at first", 0, 5, 1);
        row("A-043 before the first move", 4, 5, 1);
        row("A-043 after it", 5, 5, 3);
        row("A-043 up to the end of the range", 14, 5, 5);
        row("A-043 the last place need not be a whole move away", 15, 5, 6);
        row("A-043 and stays there", 9'000'000'000'000'000'000, 1, 6);
        row("A-043 a negative step is the first", -7, 5, 1);
        row("A-043 no steps are one", 1, 0, 3);
    }
    void theProgressiveWindowMovesOn_A043()
    {
        QFETCH(qint64, step);
        QFETCH(qint64, stepsPerWindow);
        QFETCH(qint64, start);
        QCOMPARE(engine::progressiveWindow({2, 1, 8}, 10, step, stepsPerWindow), (SdeWindow {start, start + 2}));
        QCOMPARE(engine::progressiveWindow({}, 10, step, stepsPerWindow), (SdeWindow {0, 9}));
    }

    void whatDoesNotFitIsNamed_data()
    {
        QTest::addColumn<qint64>("size");
        QTest::addColumn<qint64>("first");
        QTest::addColumn<qint64>("last");
        QTest::addColumn<QByteArray>("said");
        QTest::newRow("A-042 a window wider than the range") << qint64 {4} << qint64 {2} << qint64 {5} << QByteArray("a window of 4 stochastic steps does not fit into the range [2, 5)");
        QTest::newRow("A-041 a range beyond the steps") << qint64 {2} << qint64 {0} << qint64 {9} << QByteArray("the range [0, 9) of stochastic steps goes beyond the 8 steps");
        QTest::newRow("A-041 no steps") << qint64 {0} << qint64 {0} << qint64 {5} << QByteArray("a window of 0");
        QTest::newRow("A-041 before the first step") << qint64 {2} << qint64 {-1} << qint64 {5} << QByteArray("[-1, 5)");
    }
    void whatDoesNotFitIsNamed()
    {
        QFETCH(qint64, size);
        QFETCH(qint64, first);
        QFETCH(qint64, last);
        QFETCH(QByteArray, said);
        const SdeWindowOptions options {size, first, last};
        const std::vector<std::function<void()>> uses = {[&] { engine::drawnWindows(options, 8, 2, generators(2)); },
            [&] { engine::randomWindow(options, 8, 0, 0); }, [&] { engine::progressiveWindow(options, 8, 0, 1); }};
        for (const auto& use : uses) {
            try {
                use();
                QFAIL("accepted");
            } catch (const std::invalid_argument& error) {
                QVERIFY2(QByteArray(error.what()).contains(said), error.what());
            }
        }
    }

    void generatorsAreOnePerRow_A041()
    {
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, engine::drawnWindows({2, 0, 5}, 8, 3, generators(2)));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, engine::drawnWindows({2, 0, 5}, 8, 3, {}));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, engine::drawnWindows({}, 1, 3, {}));
    }
};

QTEST_GUILESS_MAIN(SdeWindowTest)
#include "tst_sde_window.moc"
