// What leaves the device while nothing uses it.
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "tests/engine/shard/late_device.h"
#include "tests/engine/train/offloaded_model.h"

#include <QtTest>

using engine::Residency;
using tests::areEqual;
using tests::OffloadedModel;

namespace {

const c10::Device kCpu(c10::DeviceType::CPU);
constexpr int kSteps = 4;

}  // namespace

class ResidencyTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsIdleLeavesTheDevice_data()
    {
        QTest::addColumn<QString>("offload");
        QTest::addColumn<QString>("inTraining");
        QTest::addColumn<QString>("inEvaluation");
        QTest::addColumn<QString>("idle");
        const char* const all = "device device device";
        QTest::newRow("E-060 E-062 nothing") << "none" << all << all << all;
        QTest::newRow("E-051 E-054 E-061 the optimizer alone") << "optimizer" << all << "device device host" << "device device host";
        QTest::newRow("E-058 E-061 E-063 all") << "idle" << all << "device host host" << "host host host";
    }
    void whatIsIdleLeavesTheDevice()
    {
        QFETCH(QString, offload);
        QFETCH(QString, inTraining);
        QFETCH(QString, inEvaluation);
        QFETCH(QString, idle);
        engine::LoneGroup lone;
        OffloadedModel moving(lone, tests::lateDevice(), nullptr, nullptr, {.offload = offload.toStdString()});
        OffloadedModel resting(lone, tests::lateDevice(), nullptr, nullptr, {});
        const auto places = [&](Residency::Use use) {
            moving.residency().setUse(use);
            return QString::fromStdString(moving.places());
        };
        for (int i = 0; i < kSteps; ++i) {
            QCOMPARE(places(Residency::Use::Training), inTraining);
            moving.step(i);
            resting.step(i);
            QCOMPARE(places(Residency::Use::Evaluation), inEvaluation);
            QVERIFY(areEqual(moving.gathered(engine::Weights::Ema), resting.gathered(engine::Weights::Ema), 0));
            QCOMPARE(places(Residency::Use::Nothing), idle);
        }
        QVERIFY(areEqual(moving.states(), resting.states(), 0));
    }

    void gradientsEndWithTraining_data()
    {
        QTest::addColumn<QString>("offload");
        QTest::newRow("E-061 nothing moves") << "none";
        QTest::newRow("E-061 all") << "idle";
    }
    // Whatever ended it: here no update has taken the gradients of the first pass.
    void gradientsEndWithTraining()
    {
        QFETCH(QString, offload);
        engine::LoneGroup lone;
        OffloadedModel model(lone, tests::lateDevice(), nullptr, nullptr, {.offload = offload.toStdString()});
        OffloadedModel fresh(lone, tests::lateDevice(), nullptr, nullptr, {});
        const auto gradients = [](OffloadedModel& of) {
            std::vector<at::Tensor> all;
            for (std::size_t i = 0; i < of.units().size(); ++i)
                all.push_back(of.units()[i].gradShard.cpu().clone());
            return all;
        };
        model.residency().setUse(Residency::Use::Training);
        model.pass(1);
        model.residency().setUse(Residency::Use::Evaluation);
        model.residency().setUse(Residency::Use::Training);
        model.pass(2);
        fresh.pass(2);
        QVERIFY(areEqual(gradients(model), gradients(fresh), 0));
    }

    void whatStaysInUseStaysWhereItIs_data()
    {
        QTest::addColumn<QString>("offload");
        QTest::newRow("E-064 the optimizer") << "optimizer";
        QTest::newRow("E-064 all") << "idle";
    }
    void whatStaysInUseStaysWhereItIs()
    {
        QFETCH(QString, offload);
        engine::LoneGroup lone;
        OffloadedModel model(lone, tests::lateDevice(), nullptr, nullptr, {.offload = offload.toStdString()});
        for (const auto use : {Residency::Use::Evaluation, Residency::Use::Training}) {
            model.residency().setUse(use);
            const engine::Unit& unit = model.units()[1];
            const void* const places[] = {unit.master.data_ptr(), unit.gradShard.data_ptr(), unit.optimizerStates[0].values.data_ptr()};
            model.residency().setUse(use);
            QVERIFY(unit.master.data_ptr() == places[0] && unit.gradShard.data_ptr() == places[1]
                && unit.optimizerStates[0].values.data_ptr() == places[2]);
        }
    }

    void everyStateOfTheOptimizerMoves_data()
    {
        QTest::addColumn<QString>("optimizer");
        for (const char* optimizer : {"adamw", "adamw8bit", "muon"})
            QTest::addRow("E-053 %s", optimizer) << optimizer;
    }
    void everyStateOfTheOptimizerMoves()
    {
        QFETCH(QString, optimizer);
        engine::LoneGroup lone;
        OffloadedModel model(lone, tests::lateDevice(), nullptr, nullptr, {.optimizer = optimizer.toStdString(), .offload = "optimizer"});
        OffloadedModel resting(lone, tests::lateDevice(), nullptr, nullptr, {.optimizer = optimizer.toStdString()});
        for (int i = 0; i < kSteps; ++i) {
            model.residency().setUse(Residency::Use::Training);
            model.step(i);
            resting.step(i);
            model.residency().setUse(Residency::Use::Evaluation);
            for (std::size_t unit = 0; unit < model.units().size(); ++unit) {
                for (const engine::ShardState& state : model.units()[unit].optimizerStates)
                    QVERIFY2(state.values.is_cpu(), state.name.c_str());
            }
        }
        QVERIFY(areEqual(model.states(), resting.states(), 0));
    }

    void memoryIsGivenBackWhenTheCopiesAreDone_data()
    {
        QTest::addColumn<QString>("offload");
        QTest::addColumn<QStringList>("calls");
        const QStringList given = {QStringLiteral("synchronize"), QStringLiteral("emptyCache")};
        QTest::newRow("E-057 E-205 the optimizer leaves") << "optimizer" << given;
        QTest::newRow("E-057 E-205 nothing leaves") << "none" << QStringList();
    }
    void memoryIsGivenBackWhenTheCopiesAreDone()
    {
        QFETCH(QString, offload);
        struct Recorder final : engine::Accelerator {
            void setDevice(int) override { }
            c10::intrusive_ptr<c10d::Backend> makeNccl(
                const c10::intrusive_ptr<c10d::Store>&, int, int, std::chrono::milliseconds) override { return {}; }
            void synchronize() override { calls.append(QStringLiteral("synchronize")); }
            void emptyCache() override { calls.append(QStringLiteral("emptyCache")); }
            Memory memory() override { return {}; }
            std::string deviceName() const override { return {}; }
            std::string ncclVersion() const override { return {}; }
            QStringList calls;
        } recorder;
        engine::LoneGroup lone;
        OffloadedModel model(lone, tests::lateDevice(), nullptr, nullptr, {.offload = offload.toStdString()}, &recorder);
        model.residency().setUse(Residency::Use::Evaluation);
        QTEST(recorder.calls, "calls");
        model.residency().setUse(Residency::Use::Training);
        QTEST(recorder.calls, "calls");  // nothing is given back on the way to the device
    }

    void partsAreMovedByHand_data()
    {
        QTest::addColumn<QString>("offload");
        QTest::newRow("E-051 E-055 E-056 whatever the option says") << "none";
        QTest::newRow("E-051 the optimizer alone is no error") << "optimizer";
    }
    void partsAreMovedByHand()
    {
        QFETCH(QString, offload);
        engine::LoneGroup lone;
        OffloadedModel model(lone, tests::lateDevice(), nullptr, nullptr, {.offload = offload.toStdString()});
        model.step(0);
        const auto before = model.states();
        const auto to = [&](c10::Device device, engine::ShardParts parts) {
            model.residency().to(device, parts);
            return QString::fromStdString(model.places());
        };
        QCOMPARE(to(kCpu, {.weights = false, .gradients = false, .optimizer = true}), QStringLiteral("device device host"));
        QCOMPARE(to(kCpu, {.weights = true, .gradients = false, .optimizer = false}), QStringLiteral("host device host"));
        QCOMPARE(to(kCpu, {}), QStringLiteral("host host host"));
        QVERIFY(areEqual(model.states(), before, 0));
        QCOMPARE(to(tests::lateDevice(), {.weights = true, .gradients = true, .optimizer = false}), QStringLiteral("device device host"));
        QCOMPARE(to(tests::lateDevice(), {}), QStringLiteral("device device device"));
        QVERIFY(areEqual(model.states(), before, 0));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, model.residency().to(c10::Device(c10::DeviceType::Meta), {}));
    }
};

QTEST_GUILESS_MAIN(ResidencyTest)
#include "tst_residency.moc"
