// Fixed pseudo-random word vectors.
#include <ATen/ATen.h>

#include "engine/pipeline/hashed_words.h"

#include <QtTest>

#include <vector>

using engine::HashedWords;
using engine::PromptFeatures;

namespace {

PromptFeatures of(const std::string& prompt) { return HashedWords().encode(std::span(&prompt, 1)); }

/// Cosine similarity.
double likeness(const at::Tensor& a, const at::Tensor& b) { return (a.dot(b) / a.norm() / b.norm()).item<double>(); }

}  // namespace

class HashedWordsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void defect49_wordsThatAreNotReadAreCounted()
    {
        std::string prompt;
        for (int i = 0; i < 16; ++i)
            prompt += "word, ";
        QVERIFY(engine::HashedWords().truncations(prompt).empty());
        const auto phrases = engine::HashedWords().truncations(prompt + "more");
        QCOMPARE(phrases.size(), std::size_t(1));
        QCOMPARE(phrases.front(), std::string("the model reads 16 of its 17 words"));
    }

    void wordsAreDrawnFromTheirLetters()
    {
        const PromptFeatures one = of("red heart");
        QCOMPARE(one.embeds.sizes(), at::IntArrayRef({1, HashedWords::kWords, HashedWords::kWidth}));
        QCOMPARE(one.pooled.sizes(), at::IntArrayRef({1, HashedWords::kWidth}));
        QVERIFY(!one.mask.defined());
        QVERIFY(at::equal(of("Red: heart.").embeds, one.embeds));  // neither case nor punctuation counts
        QVERIFY(at::equal(of("red square").embeds[0][0], one.embeds[0][0]));
        QVERIFY(one.embeds[0].narrow(0, 2, HashedWords::kWords - 2).abs().max().item<float>() == 0);  // after the last word
        // Variance 1 of the word plus ¼ of its position.
        QVERIFY(std::abs(one.embeds[0][0].square().mean().item<double>() - 1.25) < 0.25);
        QVERIFY(std::abs(one.pooled.square().mean().item<double>() - 1) < 0.25);
    }

    void likeWordsLieNearEachOther()
    {
        const auto first = [](const char* word) { return of(word).pooled[0]; };
        QVERIFY(std::abs(likeness(first("heart"), first("robot"))) < 0.15);
        QVERIFY(likeness(first("hearts"), first("heart")) > 0.4);
    }

    void theirPlaceCounts()
    {
        const PromptFeatures one = of("red heart"), other = of("heart red");
        QVERIFY(!at::equal(one.embeds[0][0], other.embeds[0][1]));
        QVERIFY(likeness(one.embeds[0][0], other.embeds[0][1]) > 0.6);
        QVERIFY(at::allclose(one.pooled, other.pooled, 1e-5, 1e-6));
    }

    void promptsOfAnyLength_data()
    {
        QTest::addColumn<QString>("prompt");
        QTest::addColumn<int>("words");
        QTest::newRow("none") << "" << 0;
        QTest::newRow("punctuation alone") << " .,: " << 0;
        QTest::newRow("more than are read") << QStringLiteral("word ").repeated(40) << int(HashedWords::kWords);
        QTest::newRow("other scripts") << QStringLiteral("ein süßes Herz") << 3;
    }
    void promptsOfAnyLength()
    {
        QFETCH(QString, prompt);
        QFETCH(int, words);
        const PromptFeatures features = of(prompt.toStdString());
        QCOMPARE(features.embeds[0].abs().sum(1).gt(0).sum().item<int>(), words);
        QVERIFY(features.pooled.isfinite().all().item<bool>() && features.pooled.any().item<bool>() == (words > 0));
    }

    void manyPromptsAreTheSameAsEach()
    {
        const std::vector<std::string> prompts = {"blue apple", "", "red book"};
        const PromptFeatures all = HashedWords().encode(prompts);
        for (std::int64_t i = 0; i < 3; ++i) {
            const PromptFeatures alone = of(prompts[static_cast<std::size_t>(i)]);
            QVERIFY(at::equal(all.embeds[i], alone.embeds[0]) && at::equal(all.pooled[i], alone.pooled[0]));
        }
    }
};

QTEST_GUILESS_MAIN(HashedWordsTest)
#include "tst_hashed_words.moc"
