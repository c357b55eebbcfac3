// Frozen parameters: gathered like others, without gradients and optimizer states, and unchanged by training.
#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>

#include "engine/comm/errors.h"
#include "engine/models/registry.h"
#include "engine/models/trainable.h"
#include "tests/engine/worker/reference_training.h"
#include "tests/engine/worker/worker_run.h"

#include <QtTest>

#include <cmath>
#include <set>

using tests::WorkerRun;

class TrainableTest : public QObject {
    Q_OBJECT

    static QStringList trainedNames(const QByteArray& names)
    {
        std::vector<engine::UnitSpec> units = {{"root", {{"embed.weight", {2}}, {"embed.bias", {2}}}},
            {"blocks.0", {{"blocks.0.qkv.weight", {2}}, {"blocks.0.fc.bias", {2}}}},
            {"blocks.11", {{"blocks.11.qkv.weight", {2}}, {"blocks.11.fc.bias", {2}}}}};
        engine::selectTrainable(units, names.toStdString());
        QStringList result;
        for (const engine::UnitSpec& unit : units) {
            for (const engine::ParameterSpec& parameter : unit.parameters) {
                if (parameter.isTrained)
                    result << QString::fromStdString(parameter.name);
            }
        }
        return result;
    }

private Q_SLOTS:
    void namesChooseParameters_data()
    {
        QTest::addColumn<QByteArray>("names");
        QTest::addColumn<QStringList>("trained");
        QTest::newRow("E-004 one") << QByteArray("embed.bias") << QStringList {"embed.bias"};
        QTest::newRow("E-004 a block") << QByteArray("blocks.11.*") << QStringList {"blocks.11.qkv.weight", "blocks.11.fc.bias"};
        QTest::newRow("E-004 no prefix of another") << QByteArray("blocks.1*qkv*") << QStringList {"blocks.11.qkv.weight"};
        QTest::newRow("E-004 in all blocks, and more")
            << QByteArray(" blocks.*.qkv.weight , *.bias")
            << QStringList {"embed.bias", "blocks.0.qkv.weight", "blocks.0.fc.bias", "blocks.11.qkv.weight", "blocks.11.fc.bias"};
        QTest::newRow("E-004 all") << QByteArray("all") << trainedNames("*");
    }
    void namesChooseParameters()
    {
        QFETCH(QByteArray, names);
        QTEST(trainedNames(names), "trained");
    }

    void namesThatFitNothingAreRefused_data()
    {
        QTest::addColumn<QByteArray>("names");
        QTest::addColumn<QString>("named");
        QTest::newRow("E-004 a part of a name") << QByteArray("*, embed") << "\"embed\"";
        QTest::newRow("E-004 nothing") << QByteArray("") << "\"\"";
        QTest::newRow("E-004 a comma too many") << QByteArray("embed.bias,") << "\"\"";
    }
    void namesThatFitNothingAreRefused()
    {
        QFETCH(QByteArray, names);
        QFETCH(QString, named);
        try {
            trainedNames(names);
            QFAIL("accepted");
        } catch (const engine::EngineError& error) {
            QCOMPARE(QString(error.what()), "model.trainable: no parameter is called " + named
                    + "; the model has embed.weight … blocks.11.fc.bias");
        }
    }

    void theRefusalNamesParametersOfUnitsThatHaveSome()
    {
        std::vector<engine::UnitSpec> units = {{"root", {}}, {"blocks.0", {{"blocks.0.weight", {2}}, {"blocks.0.bias", {2}}}}, {"blocks.1", {}}};
        try {
            engine::selectTrainable(units, "embed");
            QFAIL("accepted");
        } catch (const engine::EngineError& error) {
            QCOMPARE(QString(error.what()), QString("model.trainable: no parameter is called \"embed\"; the model has blocks.0.weight … blocks.0.bias"));
        }
    }

    void trainsAsAPlainProcessThatUpdatesOnlyThem_data()
    {
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<QByteArray>("names");
        const QByteArray some("blocks.1.*, blocks.2.qkv.*, final.*, label.weight"), bias("*.bias");
        QTest::newRow("E-004 E-171 E-174 AdamW, 1 rank") << QByteArray("adamw") << 1 << some;
        QTest::newRow("E-004 E-171 E-174 AdamW, 3 ranks") << QByteArray("adamw") << 3 << some;
        QTest::newRow("E-004 E-171 E-174 AdamW, biases only") << QByteArray("adamw") << 2 << bias;
        QTest::newRow("E-004 E-171 E-174 8 bits, 2 ranks") << QByteArray("adamw8bit") << 2 << some;
        QTest::newRow("E-004 E-171 E-174 Muon, 2 ranks") << QByteArray("muon") << 2 << some;
    }
    void trainsAsAPlainProcessThatUpdatesOnlyThem()
    {
        QFETCH(QByteArray, kind);
        QFETCH(int, ranks);
        QFETCH(QByteArray, names);
        auto experiment = tests::smallExperiment(ranks);
        experiment.set("model.trainable", names.toStdString());
        experiment.set("optim.kind", kind.toStdString());
        const auto reference = tests::trainPlainly(experiment, 24);
        WorkerRun run(experiment);
        QCOMPARE(run.run(), std::vector<int>(static_cast<std::size_t>(ranks), 0));

        const double rtol = kind == "adamw8bit" ? 5e-3 : 1e-5;
        for (std::size_t i = 0; i < reference.losses.size(); ++i) {
            const auto step = static_cast<std::int64_t>(i + 1);
            const double loss = run.metric("loss").at(step), norm = run.metric("grad_norm").at(step);
            QVERIFY2(std::abs(loss - reference.losses[i]) <= rtol * loss, qPrintable(QString::number(loss)));
            QVERIFY2(std::abs(norm - reference.gradNorms[i]) <= 10 * rtol * norm, qPrintable(QString::number(norm)));
        }

        auto units = engine::buildModel(experiment, {})->units();
        engine::selectTrainable(units, names.toStdString());
        const auto saved = run.checkpoint(20);
        std::size_t states = 0, trained = 0;
        for (const engine::UnitSpec& unit : units) {
            for (const engine::ParameterSpec& parameter : unit.parameters) {
                const at::Tensor weight = saved.at("model/" + parameter.name), plain = reference.weights.at(parameter.name);
                QVERIFY2(parameter.isTrained || at::equal(weight, plain), parameter.name.c_str());
                QVERIFY2(saved.contains("ema/" + parameter.name) == parameter.isTrained, parameter.name.c_str());
                trained += parameter.isTrained;
            }
        }
        for (const auto& [name, tensor] : saved)
            states += name.starts_with("exp_avg/") || name.starts_with("exp_avg_8bit/") || name.starts_with("momentum/");
        QCOMPARE(states, trained);

        // They go on from a checkpoint as if nothing had happened.
        experiment.set("run.total_steps", std::int64_t {22});
        run.prepareAttempt(experiment, 20);
        QCOMPARE(run.run(), std::vector<int>(static_cast<std::size_t>(ranks), 0));
        QCOMPARE(run.metric("loss").size(), 2U);
    }
};

QTEST_GUILESS_MAIN(TrainableTest)
#include "tst_trainable.moc"
