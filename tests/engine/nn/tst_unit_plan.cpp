// Which blocks become units, and where their parameters are found.
#include "engine/comm/errors.h"
#include "engine/nn/unit_plan.h"

#include <QtTest>

using engine::UnitSpec;
using engine::WrapPolicy;

namespace {

/// Blocks of 100 parameters in two tensors, the last one of 1000.
std::vector<UnitSpec> declaredBlocks()
{
    std::vector<UnitSpec> all;
    for (int i = 0; i < 5; ++i) {
        const std::string name = "blocks." + std::to_string(i);
        all.push_back({name, {{name + ".weight", {i == 4 ? 990 : 9, 10}}, {name + ".bias", {10}}}});
    }
    return all;
}

engine::UnitPlan plan(const WrapPolicy& policy) { return engine::planUnits({"root", {{"embed", {7}}}}, declaredBlocks(), policy); }

}  // namespace

class UnitPlanTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void blocksBecomeUnits_data()
    {
        QTest::addColumn<WrapPolicy>("policy");
        QTest::addColumn<QStringList>("units");
        QTest::newRow("E-031 E-034 each by itself")
            << WrapPolicy {} << QStringList {"root", "blocks.0", "blocks.1", "blocks.2", "blocks.3", "blocks.4"};
        QTest::newRow("E-031 no unit below 200, but for the last")
            << WrapPolicy {.minParameters = 200} << QStringList {"root", "blocks.0-1", "blocks.2-3", "blocks.4"};
        QTest::newRow("E-031 nor below 201")
            << WrapPolicy {.minParameters = 201} << QStringList {"root", "blocks.0-2", "blocks.3-4"};
        QTest::newRow("E-031 one unit for all blocks") << WrapPolicy {.minParameters = 1'000'000} << QStringList {"root", "blocks.0-4"};
        QTest::newRow("E-031 one unit for the whole model") << WrapPolicy {.keepInRoot = "*"} << QStringList {"root"};
        QTest::newRow("E-035 some blocks stay in the root")
            << WrapPolicy {.keepInRoot = "blocks.0, blocks.3"} << QStringList {"root", "blocks.1", "blocks.2", "blocks.4"};
        QTest::newRow("E-036 the last one does") << WrapPolicy {.keepInRoot = "*.4"}
                                                 << QStringList {"root", "blocks.0", "blocks.1", "blocks.2", "blocks.3"};
        QTest::newRow("E-031 E-035 no unit reaches over one in the root")
            << WrapPolicy {200, "blocks.1"} << QStringList {"root", "blocks.0", "blocks.2-3", "blocks.4"};
    }
    void blocksBecomeUnits()
    {
        QFETCH(WrapPolicy, policy);
        const engine::UnitPlan planned = plan(policy);
        QStringList names;
        std::size_t parameters = 0;
        for (const UnitSpec& unit : planned.units) {
            names << QString::fromStdString(unit.name);
            parameters += unit.parameters.size();
        }
        QTEST(names, "units");
        // Each block's parameters are where the plan says, and none occurs twice.
        const auto blocks = declaredBlocks();
        QCOMPARE(parameters, std::size_t {11});
        QCOMPARE(planned.blocks.size(), blocks.size());
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            for (std::size_t p = 0; p < blocks[i].parameters.size(); ++p) {
                const auto& found = planned.units[planned.blocks[i].unit].parameters[planned.blocks[i].firstParameter + p];
                QCOMPARE(found.name, blocks[i].parameters[p].name);
                QCOMPARE(found.isOfBlock, planned.blocks[i].unit == 0);
            }
        }
    }

    void blocksThatAreNotThereAreNamed_data()
    {
        QTest::addColumn<QString>("names");
        QTest::addColumn<QString>("message");
        const QString end = "; the model has blocks.0 … blocks.4";
        QTest::newRow("E-031 one of two") << "blocks.1, vision.0" << "engine.wrap.keep_in_root: no block is called \"vision.0\"" + end;
        QTest::newRow("E-031 a prefix is no name") << "blocks" << "engine.wrap.keep_in_root: no block is called \"blocks\"" + end;
        QTest::newRow("E-031 the root is no block") << "root" << "engine.wrap.keep_in_root: no block is called \"root\"" + end;
    }
    void blocksThatAreNotThereAreNamed()
    {
        QFETCH(QString, names);
        try {
            plan({.keepInRoot = names.toStdString()});
            QFAIL("accepted");
        } catch (const engine::EngineError& error) {
            QTEST(QString(error.what()), "message");
            QCOMPARE(error.exitCode(), 2);
        }
    }
};

QTEST_APPLESS_MAIN(UnitPlanTest)
#include "tst_unit_plan.moc"
