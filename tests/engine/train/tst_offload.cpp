// Training with shards that stay on the host.
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/cpu.h"
#include "tests/engine/shard/late_device.h"
#include "tests/engine/test_device.h"
#include "tests/engine/train/offloaded_model.h"

#include <QtTest>

using engine::CopyStream;
using engine::Offload;
using tests::areEqual;
using tests::OffloadedModel;
using tests::kCpu;
using tests::kOffloadSteps;
using Setting = tests::OffloadSetting;

namespace {

/// Trains with shards here and there, side by side.
bool trainsAsWithout(engine::Group& group, engine::Group* replicas, c10::Device device, const Setting& setting, double tolerance)
{
    const CopyStream copies(device);
    OffloadedModel plain(group, device == tests::lateDevice() ? kCpu : device, replicas, nullptr, setting), onHost(group, device, replicas, &copies, setting);
    for (int i = 0; i < kOffloadSteps; ++i) {
        plain.step(i);
        onHost.step(i);
    }
    for (std::size_t i = 0; i < onHost.units().size(); ++i) {
        for (const engine::ShardState& state : onHost.units()[i].storedStates()) {
            if (!state.values.is_cpu())
                return false;
        }
    }
    const bool hasCodes = tests::accelerator() && setting.optimizer == "adamw8bit";  // of other values, where two devices round
    return (hasCodes || areEqual(onHost.states(), plain.states(), tolerance))
        && areEqual(onHost.gathered(engine::Weights::Master), plain.gathered(engine::Weights::Master), tolerance)
        && areEqual(onHost.gathered(engine::Weights::Ema), plain.gathered(engine::Weights::Ema), tolerance);
}

}  // namespace

class OffloadTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void shardsOnTheHostTrainToTheSameNumbers_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("shard");
        QTest::addColumn<bool>("isBf16");
        QTest::addColumn<int>("accumulation");
        QTest::addColumn<bool>("reducesEachPass");
        QTest::addColumn<QString>("optimizer");
        QTest::newRow("E-043 E-046 2 ranks") << 2 << 2 << false << 1 << true << "adamw";
        QTest::newRow("E-043 2 ranks, bf16, accumulation") << 2 << 2 << true << 3 << true << "adamw";
        QTest::newRow("E-043 2 ranks, one reduction a step") << 2 << 2 << true << 2 << false << "adamw";
        QTest::newRow("E-043 3 ranks, 8-bit states") << 3 << 3 << true << 1 << true << "adamw8bit";
        QTest::newRow("E-043 2 ranks, Muon") << 2 << 2 << false << 1 << true << "muon";
        QTest::newRow("E-043 E-020 4 ranks, 2 replicas, accumulation") << 4 << 2 << true << 2 << true << "adamw";
    }
    void shardsOnTheHostTrainToTheSameNumbers()
    {
        QFETCH(int, ranks);
        QFETCH(int, shard);
        QFETCH(bool, isBf16);
        QFETCH(int, accumulation);
        QFETCH(bool, reducesEachPass);
        QFETCH(QString, optimizer);
        const Setting setting {.computeDtype = isBf16 ? at::kBFloat16 : at::kFloat, .accumulation = accumulation,
            .reducesEachPass = reducesEachPass, .optimizer = optimizer.toStdString()};
        const auto codes = tests::runRanks({.world = ranks, .shard = shard}, engine::Exchange::Gloo, [&](engine::Mesh& mesh) {
            // Replicas add up each pass on the device: another order of the same sums.
            const bool isSameOrder = ranks == shard;
            return trainsAsWithout(mesh.shard(), isSameOrder ? nullptr : &mesh.replicate(), tests::device(), setting, tests::accelerator() ? (isBf16 ? 1e-2 : 1e-4) : isSameOrder ? 0 : 1e-5);
        });
        QCOMPARE(codes, std::vector<int>(static_cast<std::size_t>(ranks), 0));
    }

    void lateCopiesAreWaitedFor_data()
    {
        QTest::addColumn<bool>("isBf16");
        QTest::addColumn<int>("accumulation");
        QTest::addColumn<bool>("reshards");
        QTest::addColumn<bool>("prefetches");
        QTest::newRow("fp32") << false << 1 << true << true;
        QTest::newRow("bf16") << true << 1 << true << true;
        QTest::newRow("bf16, accumulation") << true << 3 << true << true;
        QTest::newRow("bf16, kept gathered") << true << 2 << false << true;
        QTest::newRow("bf16, no prefetch") << true << 2 << true << false;
    }
    void lateCopiesAreWaitedFor()
    {
        QFETCH(bool, isBf16);
        QFETCH(int, accumulation);
        QFETCH(bool, reshards);
        QFETCH(bool, prefetches);
        engine::LoneGroup lone;
        QVERIFY(trainsAsWithout(lone, nullptr, tests::lateDevice(),
            {.computeDtype = isBf16 ? at::kBFloat16 : at::kFloat, .accumulation = accumulation, .reshards = reshards,
                .prefetches = prefetches},
            0));
    }

    void shardsOnTheHostAreNotMovedByHand_data()
    {
        QTest::addColumn<QString>("offload");
        QTest::newRow("E-002 E-043") << "idle";
    }
    void shardsOnTheHostAreNotMovedByHand()
    {
        QFETCH(QString, offload);
        engine::LoneGroup lone;
        const CopyStream copies(tests::lateDevice());
        OffloadedModel model(lone, tests::lateDevice(), nullptr, &copies, {.offload = offload.toStdString()});
        for (const auto use : {Offload::Use::None, Offload::Use::Training}) {
            model.offload().setUse(use);
            QCOMPARE(model.places(), std::string("host host host"));
        }
        model.step(0);
    }
};

QTEST_GUILESS_MAIN(OffloadTest)
#include "tst_offload.moc"
