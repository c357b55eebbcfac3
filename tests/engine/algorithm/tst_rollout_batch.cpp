// A batch keeps the rows of all its fields together when it is sliced.
#include <ATen/ATen.h>

#include "engine/algorithm/rollout_batch.h"
#include "engine/algorithm/timestep_fields.h"
#include "engine/comm/errors.h"
#include "tests/engine/shard/late_device.h"

#include <QtTest>

#include <functional>
#include <stdexcept>

using engine::RaggedRows;
using engine::RolloutBatch;
using engine::Texts;

namespace {

/// Row r: the number r, r tokens of r, the text "r".
RolloutBatch numbered(std::int64_t rows)
{
    RolloutBatch batch;
    std::vector<at::Tensor> tokens = {at::zeros({0, 2})};
    RaggedRows ragged;
    Texts texts;
    for (std::int64_t row = 0; row < rows; ++row) {
        tokens.push_back(at::full({row, 2}, row));
        ragged.lengths.push_back(row);
        texts.push_back(std::to_string(row));
    }
    ragged.values = at::cat(tokens);
    batch.set("number", at::arange(rows, at::kLong));
    batch.set("tokens", std::move(ragged));
    batch.set("uid", std::move(texts));
    return batch;
}

/// Whether the rows of @p batch are those with the given numbers.
bool hasRows(const RolloutBatch& batch, const std::vector<std::int64_t>& rows)
{
    const auto& ragged = *batch.find<RaggedRows>("tokens");
    const auto& texts = *batch.find<Texts>("uid");
    bool isRight = batch.rows() == static_cast<std::int64_t>(rows.size())
        && batch.tensor("number").equal(at::tensor(rows, at::kLong)) && ragged.lengths == rows;
    std::int64_t first = 0;
    for (std::size_t i = 0; isRight && i < rows.size(); ++i) {
        isRight = ragged.values.narrow(0, first, rows[i]).equal(at::full({rows[i], 2}, rows[i]))
            && texts[i] == std::to_string(rows[i]);
        first += rows[i];
    }
    return isRight && ragged.values.size(0) == first;
}

template <typename Error>
QByteArray messageOf(const std::function<void()>& action)
{
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

}  // namespace

class RolloutBatchTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void microBatchesAreEqualPartsInOrder_E140()
    {
        const RolloutBatch batch = numbered(6);
        const auto parts = engine::microBatches(batch, 2);
        QCOMPARE(parts.size(), std::size_t {3});
        QVERIFY(hasRows(parts[0], {0, 1}));
        QVERIFY(hasRows(parts[1], {2, 3}));
        QVERIFY(hasRows(parts[2], {4, 5}));
        QVERIFY(parts[1].tensor("number").is_alias_of(batch.tensor("number")));  // no copy
        QCOMPARE(engine::microBatches(batch, 6).size(), std::size_t {1});
    }

    void rowsThatDoNotDivideAreRefused_data()
    {
        QTest::addColumn<int>("microBatch");
        QTest::newRow("E-140 4 of 6") << 4;
        QTest::newRow("E-140 more than there are") << 7;
        QTest::newRow("E-140 no size") << 0;
        QTest::newRow("E-140 negative") << -2;
    }
    void rowsThatDoNotDivideAreRefused()
    {
        QFETCH(int, microBatch);
        const auto message
            = messageOf<engine::EngineError>([&] { engine::microBatches(numbered(6), microBatch); });
        QVERIFY(message.contains("batch.micro = " + QByteArray::number(microBatch)));
        QVERIFY(message.contains("6 rows"));
    }

    void rowsAreSelectedInAnyOrder_E140_E160()
    {
        QVERIFY(hasRows(numbered(6).select({5, 0, 3, 3}), {5, 0, 3, 3}));
        QVERIFY(hasRows(numbered(6).select({}), {}));
        QVERIFY(hasRows(numbered(6).narrow(2, 3).select({2, 0}), {4, 2}));
        QVERIFY(hasRows(numbered(6).to(c10::Device(c10::DeviceType::CPU)), {0, 1, 2, 3, 4, 5}));
    }

    /// Micro-batches of a rollout come to the device while it computes.
    void uploadsDoNotMakeTheHostWait_data()
    {
        QTest::addColumn<int>("rows");
        QTest::newRow("defect-39: a micro-batch") << 4;
    }
    void uploadsDoNotMakeTheHostWait()
    {
        QFETCH(int, rows);
        const RolloutBatch batch = numbered(rows);
        const int before = tests::lateCounts().waits;
        const RolloutBatch there = batch.to(tests::lateDevice());
        QCOMPARE(tests::lateCounts().waits, before);
        QCOMPARE(there.tensor("number").device(), tests::lateDevice());
        QVERIFY(hasRows(there.to(c10::Device(c10::DeviceType::CPU)), {0, 1, 2, 3}));
    }

    void fieldsWithOtherRowsAreRefused_E140()
    {
        RolloutBatch batch = numbered(6);
        const auto refused = [&](RolloutBatch::Field field) {
            return messageOf<std::invalid_argument>([&] { batch.set("more", std::move(field)); });
        };
        QCOMPARE(refused(at::zeros({5, 2})), QByteArray("the field \"more\" has 5 rows, but the batch has 6"));
        QVERIFY(refused(Texts(7)).contains("7 rows"));
        QVERIFY(refused(RaggedRows {at::zeros({3}), {1, 1, 1, 0, 0, 1}}).contains("add up to 4, but it has 3 values"));
        QVERIFY(refused(at::scalar_tensor(1)).contains("no rows"));
        QVERIFY(hasRows(batch, {0, 1, 2, 3, 4, 5}));
        QVERIFY_THROWS_EXCEPTION(std::out_of_range, batch.narrow(4, 3));
    }

    void aMissingFieldIsNamedWithThoseThereAre()
    {
        const RolloutBatch batch = numbered(2);
        QCOMPARE(messageOf<std::out_of_range>([&] { batch.tensor("latents_clean"); }),
            QByteArray("the batch has no tensor \"latents_clean\", only: number, tokens, uid"));
        QVERIFY(!batch.find<at::Tensor>("uid"));  // of another kind
    }

    void theLossOfATimestepGetsItsColumns_E154()
    {
        RolloutBatch batch;
        batch.set("old_log_probs", at::arange(6).view({2, 3}));
        batch.set("advantages", at::arange(6, 12).view({2, 3}));
        batch.set("ref_prev_sample_mean", at::arange(24).view({2, 3, 4}));
        const auto columns = engine::atTimestep(
            batch, 1, {"old_log_probs", "advantages"}, {"ref_log_prob", "ref_prev_sample_mean"});
        QCOMPARE(columns.size(), std::size_t {3});
        QVERIFY(columns.at("old_log_probs").equal(at::tensor({1, 4}, at::kLong)));
        QVERIFY(columns.at("advantages").equal(at::tensor({7, 10}, at::kLong)));
        QVERIFY(columns.at("ref_prev_sample_mean").equal(at::tensor({4, 5, 6, 7, 16, 17, 18, 19}, at::kLong).view({2, 4})));
        QVERIFY(messageOf<std::out_of_range>([&] { engine::atTimestep(batch, 0, {"advantages", "returns"}, {}); })
                    .contains("\"returns\""));
        QVERIFY(messageOf<std::out_of_range>([&] { engine::atTimestep(batch, 3, {"advantages"}, {}); })
                    .contains("3 timesteps"));
    }

    void aSingleTimestepIsTakenOff_E157_E164()
    {
        QCOMPARE(engine::squeezeTimestep(at::zeros({2, 1, 4})).sizes(), at::IntArrayRef({2, 4}));
        QCOMPARE(engine::squeezeTimestep(at::zeros({2, 1})).sizes(), at::IntArrayRef({2}));
        QCOMPARE(engine::squeezeTimestep(at::zeros({1, 1, 1, 4})).sizes(), at::IntArrayRef({1, 1, 4}));
        QCOMPARE(engine::squeezeTimestep(at::zeros({1, 4})).sizes(), at::IntArrayRef({1, 4}));
        QCOMPARE(engine::squeezeTimestep(at::zeros({1})).sizes(), at::IntArrayRef({1}));
    }
};

QTEST_GUILESS_MAIN(RolloutBatchTest)
#include "tst_rollout_batch.moc"
