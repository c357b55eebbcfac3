// What a model is built from, and that describing one costs nothing.
#include "engine/comm/errors.h"
#include "engine/model/dit.h"
#include "engine/model/registry.h"

#include <QtTest>

#include <sys/resource.h>

#include <set>

namespace {

std::int64_t peakBytes()
{
    struct rusage usage {};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss * 1024;
}

}  // namespace

class RegistryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyModelThatAnExperimentCanNameIsKnown_data()
    {
        QTest::addColumn<QString>("name");
        for (const std::string_view name : contract::findOption("model.name")->choices)
            QTest::addRow("E-011 %s", name.data()) << QString::fromUtf8(name.data());
    }
    void everyModelThatAnExperimentCanNameIsKnown()
    {
        QFETCH(QString, name);
        contract::Experiment experiment;
        QVERIFY(!experiment.set("model.name", name.toStdString()));
        const auto model = engine::buildModel(experiment, {});
        QVERIFY(!model->units().empty());
    }

    void eachBlockIsAUnitAndTheRestIsTheRoot_data()
    {
        QTest::addColumn<int>("depth");
        QTest::newRow("E-033 E-034 one block") << 1;
        QTest::newRow("E-033 E-034 12 blocks") << 12;
    }
    void eachBlockIsAUnitAndTheRestIsTheRoot()
    {
        QFETCH(int, depth);
        const engine::Dit model({.depth = depth});
        const auto units = model.units();
        QCOMPARE(units.size(), static_cast<std::size_t>(depth) + 1);
        QCOMPARE(units[0].name, std::string("root"));
        std::set<std::string> names;
        for (std::size_t i = 0; i < units.size(); ++i) {
            const std::string block = "blocks." + std::to_string(i == 0 ? 0 : i - 1);
            if (i > 0)
                QCOMPARE(units[i].name, block);
            QVERIFY(!units[i].parameters.empty());
            for (const engine::ParameterSpec& parameter : units[i].parameters) {
                QCOMPARE(parameter.name.starts_with(i == 0 ? "blocks." : block + "."), i > 0);
                QVERIFY2(names.insert(parameter.name).second, parameter.name.c_str());
            }
        }
        const auto again = model.units();  // asking changes nothing
        QCOMPARE(again.size(), units.size());
        for (std::size_t i = 0; i < units.size(); ++i)
            QCOMPARE(again[i].parameters.size(), units[i].parameters.size());
    }

    void aModelIsDescribedWithoutMemoryForIt_data()
    {
        QTest::addColumn<qint64>("width");
        QTest::newRow("E-039 5 TB of weights") << qint64 {12288};
    }
    void aModelIsDescribedWithoutMemoryForIt()
    {
        QFETCH(qint64, width);
        const std::int64_t before = peakBytes();
        const engine::Dit model({.width = width, .depth = 512, .heads = 96});
        std::int64_t elements = 0;
        for (const engine::UnitSpec& unit : model.units()) {
            for (const engine::ParameterSpec& parameter : unit.parameters)
                elements += parameter.elements();
        }
        QVERIFY(elements > 18 * 512 * width * width);
        QVERIFY(model.forwardFlops() > 2.0 * 12 * 512 * static_cast<double>(width * width));
        QVERIFY(peakBytes() - before < 50'000'000);
    }

    void sizesThatDoNotFitAreNamed_data()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("heads");
        QTest::addColumn<int>("imageSize");
        QTest::addColumn<QString>("said");
        QTest::newRow("E-025 width and heads") << 128 << 3 << 8 << "model.width = 128 must be a multiple of model.heads = 3";
        QTest::newRow("E-025 image and patch") << 128 << 4 << 9 << "the image size = 9 must be a multiple of model.patch = 2";
    }
    void sizesThatDoNotFitAreNamed()
    {
        QFETCH(int, width);
        QFETCH(int, heads);
        QFETCH(int, imageSize);
        QFETCH(QString, said);
        try {
            engine::Dit({.imageSize = imageSize, .width = width, .heads = heads});
            QFAIL("accepted");
        } catch (const engine::EngineError& error) {
            QCOMPARE(QString(error.what()), said);
        }
    }
};

QTEST_APPLESS_MAIN(RegistryTest)
#include "tst_registry.moc"
