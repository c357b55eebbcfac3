// Prompts of different lengths are padded and unpadded without losing or adding tokens.
#include <ATen/ATen.h>

#include "engine/algorithm/prompt_embeddings.h"

#include <QtTest>

#include <stdexcept>

using engine::PromptEmbeddings;
using engine::RaggedRows;
using engine::RolloutBatch;

namespace {

/// Tokens 1, 2, 3, … of two features.
RaggedRows embedsOf(const std::vector<std::int64_t>& lengths)
{
    std::int64_t tokens = 0;
    for (const std::int64_t length : lengths)
        tokens += length;
    return {at::arange(1, 2 * tokens + 1, at::kFloat).view({tokens, 2}), lengths};
}

RaggedRows maskOf(const std::vector<std::int64_t>& lengths)
{
    return {at::ones({embedsOf(lengths).values.size(0)}, at::kLong), lengths};
}

at::Tensor matrix(std::initializer_list<std::int64_t> numbers, std::int64_t rows)
{
    return at::tensor(at::IntArrayRef(numbers), at::kLong).view({rows, -1});
}

bool isMask(const at::Tensor& mask, std::initializer_list<std::int64_t> numbers, std::int64_t rows)
{
    return mask.defined() && mask.to(at::kLong).equal(matrix(numbers, rows));
}

}  // namespace

class PromptEmbeddingsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void raggedRowsArePaddedToTheLongest_E149()
    {
        const RaggedRows mask = maskOf({2, 0, 3});
        const PromptEmbeddings prompts = engine::padToLongest(embedsOf({2, 0, 3}), &mask);
        QVERIFY(prompts.embeds.to(at::kLong).equal(
            at::tensor({1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 5, 6, 7, 8, 9, 10}, at::kLong).view({3, 3, 2})));
        QVERIFY(isMask(prompts.mask, {1, 1, 0, 0, 0, 0, 1, 1, 1}, 3));
        QCOMPARE(prompts.mask.scalar_type(), at::kLong);  // the mask's own dtype
    }

    void withoutAMaskTheLengthsMakeOne_E149()
    {
        QVERIFY(isMask(engine::padToLongest(embedsOf({1, 3}), nullptr).mask, {1, 0, 0, 1, 1, 1}, 2));
        QVERIFY(!engine::padToLongest(embedsOf({3, 3}), nullptr).mask.defined());
        QVERIFY(!engine::padToLongest(embedsOf({3}), nullptr).mask.defined());
    }

    void aMaskOfOtherLengthsIsRefused_E149()
    {
        const RaggedRows mask = maskOf({1, 2});
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, engine::padToLongest(embedsOf({2, 1}), &mask));
    }

    void aSequenceGroupGetsAMultipleOfItsRanks_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("length");
        QTest::newRow("E-150 one rank") << 1 << 5;
        QTest::newRow("E-150 aligned") << 5 << 5;
        QTest::newRow("E-150 two ranks") << 2 << 6;
        QTest::newRow("E-150 four ranks") << 4 << 8;
        QTest::newRow("E-150 more ranks than tokens") << 8 << 8;
    }
    void aSequenceGroupGetsAMultipleOfItsRanks()
    {
        QFETCH(int, ranks);
        QFETCH(int, length);
        const at::Tensor embeds = at::ones({2, 5, 3}), mask = at::ones({2, 5}, at::kBool);
        const PromptEmbeddings padded = engine::padToMultiple({embeds, mask}, ranks);
        QCOMPARE(padded.embeds.sizes(), at::IntArrayRef({2, length, 3}));
        QCOMPARE(padded.mask.sizes(), at::IntArrayRef({2, length}));
        QVERIFY(padded.embeds.narrow(1, 0, 5).equal(embeds));
        QCOMPARE(padded.embeds.sum().item<double>(), 30.0);
        QCOMPARE(padded.mask.sum().item<std::int64_t>(), 10);
        // Without a mask, one is created only when padding must be marked.
        const PromptEmbeddings unmasked = engine::padToMultiple({embeds, {}}, ranks);
        QCOMPARE(unmasked.mask.defined(), length != 5);
        if (unmasked.mask.defined())
            QVERIFY(unmasked.mask.equal(padded.mask));
    }

    void paddingIsTakenOff_E151()
    {
        const PromptEmbeddings prompts {at::arange(12, at::kFloat).view({2, 3, 2}), matrix({1, 1, 0, 1, 1, 1}, 2)};
        const auto ragged = engine::withoutPadding(prompts);
        QCOMPARE(ragged.embeds.lengths, (std::vector<std::int64_t> {2, 3}));
        QVERIFY(ragged.embeds.values.to(at::kLong).equal(
            at::tensor({0, 1, 2, 3, 6, 7, 8, 9, 10, 11}, at::kLong).view({5, 2})));
        QCOMPARE(ragged.mask->lengths, ragged.embeds.lengths);
        QVERIFY(ragged.mask->values.equal(at::ones({5}, at::kBool)));
    }

    void withoutAMaskEveryTokenIsKept_E151()
    {
        const auto ragged = engine::withoutPadding({at::ones({2, 3, 4}), {}});
        QCOMPARE(ragged.embeds.lengths, (std::vector<std::int64_t> {3, 3}));
        QVERIFY(!ragged.mask);
    }

    void tokensAfterPaddingAreRefused_E151()
    {
        QVERIFY_THROWS_EXCEPTION(
            std::invalid_argument, engine::withoutPadding({at::ones({1, 3, 4}), matrix({1, 0, 1}, 1)}));
        QVERIFY_THROWS_EXCEPTION(
            std::invalid_argument, engine::withoutPadding({at::ones({1, 3, 4}), matrix({1, 1}, 1)}));
    }

    void wayThereAndBackIsTheSame_E149_E151()
    {
        const RaggedRows embeds = embedsOf({2, 0, 3}), mask = maskOf({2, 0, 3});
        const auto back = engine::withoutPadding(engine::padToLongest(embeds, &mask));
        QCOMPARE(back.embeds.lengths, embeds.lengths);
        QVERIFY(back.embeds.values.equal(embeds.values));
    }

    void positiveAndNegativePromptsAreEachTheirOwn_E151_E152()
    {
        RolloutBatch batch;
        batch.set("prompt_embeds", at::ones({2, 4, 3}));
        batch.set("prompt_embeds_mask", matrix({1, 1, 0, 0, 1, 0, 0, 0}, 2));
        batch.set("negative_prompt_embeds", at::ones({2, 5, 3}));
        for (const char* name : {"prompt_embeds", "negative_prompt_embeds", "absent"})
            engine::dropPadding(batch, name);
        QCOMPARE(batch.find<RaggedRows>("prompt_embeds")->lengths, (std::vector<std::int64_t> {2, 1}));
        QCOMPARE(batch.find<RaggedRows>("negative_prompt_embeds")->lengths, (std::vector<std::int64_t> {5, 5}));
        QVERIFY(!batch.find<RaggedRows>("negative_prompt_embeds_mask"));

        const auto positive = engine::promptEmbeddings(batch, "prompt_embeds", 4);
        QCOMPARE(positive->embeds.sizes(), at::IntArrayRef({2, 4, 3}));
        QVERIFY(isMask(positive->mask, {1, 1, 0, 0, 1, 0, 0, 0}, 2));
        const auto negative = engine::promptEmbeddings(batch, "negative_prompt_embeds", 1);
        QCOMPARE(negative->embeds.sizes(), at::IntArrayRef({2, 5, 3}));
        QVERIFY(!negative->mask.defined());
        QVERIFY(isMask(engine::promptEmbeddings(batch, "negative_prompt_embeds", 2)->mask,
            {1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0}, 2));
    }

    void whatIsNoTensorCountsAsMissing_E152()
    {
        RolloutBatch batch;
        batch.set("prompt_embeds", at::ones({2, 3, 4}));
        batch.set("prompt_embeds_mask", engine::Texts(2));
        batch.set("negative_prompt_embeds", engine::Texts(2));
        QVERIFY(!engine::promptEmbeddings(batch, "prompt_embeds", 1)->mask.defined());
        QVERIFY(!engine::promptEmbeddings(batch, "negative_prompt_embeds", 1));
        QVERIFY(!engine::promptEmbeddings(batch, "absent", 1));
        engine::dropPadding(batch, "prompt_embeds");
        QCOMPARE(batch.find<RaggedRows>("prompt_embeds")->lengths, (std::vector<std::int64_t> {3, 3}));
    }
};

QTEST_GUILESS_MAIN(PromptEmbeddingsTest)
#include "tst_prompt_embeddings.moc"
