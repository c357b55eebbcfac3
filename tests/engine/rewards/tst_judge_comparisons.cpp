// Judges and servers on this machine that see several samples of a prompt at once, or frames of videos.
#include "engine/comm/errors.h"
#include "engine/rewards/http_reward.h"
#include "engine/rewards/judge_reward.h"
#include "engine/rewards/win_rate.h"
#include "tests/engine/rewards/local_server.h"
#include "tests/engine/rewards/reward_samples.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>

#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

using contract::RewardScope;
using engine::JudgeReward;
using tests::LocalServer;
using tests::RewardSamples;
using tests::chatAnswer;

namespace {

engine::JudgeOptions optionsFor(const LocalServer& server, RewardScope scope, int workers = 1)
{
    return {.service = {.url = server.url(), .attempts = 1}, .model = "vl", .question = "Which {prompt}?",
        .questionOption = "reward.judge_group_question", .scope = scope, .workers = workers};
}

/// The grey levels of the images in a request, and its texts, in their order.
QByteArrayList contentOf(const LocalServer& server, int request)
{
    QByteArrayList parts;
    const QJsonArray content = QJsonDocument::fromJson(server.body(request)).object()["messages"][0]["content"].toArray();
    for (const auto& part : content) {
        const QByteArray url = part.toObject()["image_url"].toObject()["url"].toString().toLatin1(), start = "data:image/png;base64,";
        parts << (url.startsWith(start) ? QByteArray::number(qRed(QImage::fromData(QByteArray::fromBase64(url.mid(start.size())), "PNG").pixel(0, 0)))
                                        : part.toObject()["text"].toString().toUtf8());
    }
    return parts;
}

}  // namespace

class JudgeComparisonsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        for (const char* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"})
            qunsetenv(name);
    }

    void aGroupIsOneQuestion()
    {
        const LocalServer server({chatAnswer("[Of 3 samples:] [7, -0.5, 1e1], from 0 to 10")});
        JudgeReward reward("judge", optionsFor(server, RewardScope::Group, 4));
        QVERIFY(at::equal(reward.scores(RewardSamples(3).batch), at::tensor({7.0F, -0.5F, 10.0F})));
        QCOMPARE(server.requests().size(), 1);
        QCOMPARE(contentOf(server, 0), (QByteArrayList {"Sample 1:", "0", "Sample 2:", "26", "Sample 3:", "51", "Which prompt 0?"}));
    }

    void twoSamplesAreAQuestion()
    {
        const LocalServer server({chatAnswer("1"), chatAnswer("0, neither"), chatAnswer("Number 2.")});
        engine::WinRateReward reward(std::make_unique<JudgeReward>("judge", optionsFor(server, RewardScope::Pairs)));
        // Of the pairs 0 and 1, 2 and 0, 1 and 2.
        QVERIFY(at::equal(reward.scores(RewardSamples(3).batch), at::tensor({0.75F, 0.0F, 0.75F})));
        QCOMPARE(contentOf(server, 0), (QByteArrayList {"Sample 1:", "0", "Sample 2:", "26", "Which prompt 0?"}));
        QCOMPARE(contentOf(server, 1), (QByteArrayList {"Sample 1:", "51", "Sample 2:", "0", "Which prompt 2?"}));
    }

    void answersThatDoNotFitAreNamed_data()
    {
        QTest::addColumn<bool>("arePairs");
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<QByteArray>("expected");
        const QByteArray list = ", which is not one number for each of 2 samples; ask for a list of them in reward.judge_group_question";
        QTest::newRow("a number missing") << false << QByteArray("[3]") << "answered \"[3]\"" + list;
        QTest::newRow("a number too many") << false << QByteArray("3, 4, 5") << "answered \"3, 4, 5\"" + list;
        QTest::newRow("no number") << false << QByteArray("Both.") << "answered \"Both.\"" + list;
        const QByteArray choice = ", which begins with none of the numbers 0, 1 and 2; ask for one of them in reward.judge_group_question";
        QTest::newRow("no such sample") << true << QByteArray("3") << "answered \"3\"" + choice;
        QTest::newRow("no choice") << true << QByteArray("The left one") << "answered \"The left one\"" + choice;
    }
    void answersThatDoNotFitAreNamed()
    {
        QFETCH(bool, arePairs);
        QFETCH(QByteArray, answer);
        QFETCH(QByteArray, expected);
        const LocalServer server({chatAnswer(answer)});
        auto judge = std::make_unique<JudgeReward>("judge", optionsFor(server, arePairs ? RewardScope::Pairs : RewardScope::Group));
        std::unique_ptr<engine::Reward> reward;
        if (arePairs)
            reward = std::make_unique<engine::WinRateReward>(std::move(judge));
        else
            reward = std::move(judge);
        QCOMPARE(tests::causeOf([&] { reward->scores(RewardSamples(2).batch); }), "the judge \"" + QByteArray::fromStdString(server.url()) + "\" " + expected);
    }

    void serversComparePairs()
    {
        const LocalServer server({tests::httpAnswer(200, "{\"scores\": [1, 0.5, 0.25]}"), tests::httpAnswer(200, "{\"scores\": [1]}")});
        engine::WinRateReward reward(std::make_unique<engine::HttpReward>("server", engine::HttpServiceOptions {.url = server.url(), .attempts = 1}));
        const RewardSamples samples(3);  // of which 0 and 1, 2 and 0, 1 and 2 are compared
        QVERIFY(at::equal(reward.scores(samples.batch), at::tensor({0.75F, 0.125F, 0.625F})));
        const QJsonObject sent = QJsonDocument::fromJson(server.body(0)).object();
        QCOMPARE(sent["pairs"].toArray(), (QJsonArray {QJsonArray {0, 1}, QJsonArray {2, 0}, QJsonArray {1, 2}}));
        QCOMPARE(sent["samples"].toArray().size(), 3);
        QCOMPARE(tests::causeOf([&] { reward.scores(samples.batch); }), "the reward server \"" + QByteArray::fromStdString(server.url()) + "\" answered 1 scores for 3 pairs");
    }

    /// A video's frames, of which there are at most 8, are the images of a sample.
    void videosAreShownByTheirFrames()
    {
        const LocalServer server({chatAnswer("5")});
        JudgeReward reward("judge", optionsFor(server, RewardScope::Sample));
        RewardSamples samples(1);
        samples.batch.images = at::tensor(std::vector<float> {0, .1F, .2F, .3F, .4F, .5F, .6F, .7F, .8F, .9F, 1}).view({1, 11, 1, 1, 1}).expand({1, 11, 3, 2, 2});
        QVERIFY(at::equal(reward.scores(samples.batch), at::tensor({5.0F})));
        QCOMPARE(contentOf(server, 0), (QByteArrayList {"Frames of a video:", "0", "26", "51", "102", "128", "178", "204", "255", "Which prompt 0?"}));
        const LocalServer other({chatAnswer("[1, 2]")});
        RewardSamples two(2);
        two.batch.images = two.batch.images.unsqueeze(1).expand({2, 2, 3, 3, 2});
        JudgeReward("judge", optionsFor(other, RewardScope::Group)).scores(two.batch);
        QCOMPARE(contentOf(other, 0), (QByteArrayList {"Sample 1, frames of a video:", "0", "0", "Sample 2, frames of a video:", "26", "26", "Which prompt 0?"}));
    }
};

QTEST_GUILESS_MAIN(JudgeComparisonsTest)
#include "tst_judge_comparisons.moc"
