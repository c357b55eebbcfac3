// Rewards of servers on this machine: scores, repeated requests, and what goes wrong.
#include "engine/comm/errors.h"
#include "engine/rewards/http_reward.h"
#include "engine/rewards/judge_reward.h"
#include "tests/engine/rewards/local_server.h"
#include "tests/engine/rewards/reward_samples.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>

#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

#include <functional>
#include <future>

using engine::HttpReward;
using engine::JudgeReward;
using std::chrono::milliseconds;
using tests::causeOf;
using tests::chatAnswer;
using tests::httpAnswer;
using tests::LocalServer;
using tests::RewardSamples;
using tests::kPatience;

namespace {

constexpr milliseconds kImpatience {400};

engine::HttpServiceOptions optionsFor(const std::string& url, milliseconds timeout = kPatience)
{
    return {.url = url, .timeout = timeout, .firstPause = milliseconds(1), .attempts = 3};
}

QByteArray scores(const char* list) { return QByteArray("{\"scores\":") + list + "}"; }

}  // namespace

class HttpRewardTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        for (const char* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"})
            qunsetenv(name);
    }

    void postsSamplesAndReadsScores()
    {
        const LocalServer server({httpAnswer(200, scores("[0.5, -2]")), httpAnswer(201, "{\"id\": \"any\", \"scores\": [1, 2]}")});
        HttpReward reward("server", optionsFor(server.url("/a/score?b=c")));
        QCOMPARE(reward.name(), "server");
        const RewardSamples samples(2, 200, 300);
        QVERIFY(at::equal(reward.scores(samples.batch), at::tensor({0.5F, -2.0F})));
        QVERIFY(at::equal(reward.scores(samples.batch), at::tensor({1.0F, 2.0F})));
        QCOMPARE(server.requests().size(), 2);
        QVERIFY(server.requests()[0].startsWith("POST /a/score?b=c HTTP/1.1\r\n"));
        QVERIFY(server.requests()[0].contains("Content-Type: application/json\r\n"));
        const QJsonObject sent = QJsonDocument::fromJson(server.body(0)).object();
        QCOMPARE(sent["samples"].toArray().size(), 2);
        QCOMPARE(sent["samples"][1]["prompt"].toString(), "prompt 1");
        const QByteArray png = QByteArray::fromBase64(sent["samples"][1]["image"].toString().toLatin1());
        QCOMPARE(QImage::fromData(png, "PNG").pixelColor(299, 199), QColor(26, 26, 26));
    }

    void triesAgainWhatMayPass_data()
    {
        QTest::addColumn<QByteArray>("first");
        QTest::newRow("overloaded") << httpAnswer(503, "busy");
        QTest::newRow("too many requests") << httpAnswer(429, "");
        QTest::newRow("closed connection") << QByteArray();
    }
    void triesAgainWhatMayPass()
    {
        QFETCH(QByteArray, first);
        const LocalServer server({first, first, httpAnswer(200, scores("[4]"))});
        HttpReward reward("server", optionsFor(server.url()));
        QVERIFY(at::equal(reward.scores(RewardSamples(1).batch), at::tensor({4.0F})));
        QCOMPARE(server.requests().size(), 3);
        QCOMPARE(server.body(2), server.body(0));
    }

    void failuresHaveOneClearCause_data()
    {
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<int>("requests");
        QTest::addColumn<QByteArray>("expected");  ///< after the server's name
        QTest::newRow("always overloaded") << httpAnswer(503, "out of \x1b memory") << 3
                                           << QByteArray("answered status 503: \"out of \\u001b memory\", at the last of 3 attempts");
        QTest::newRow("no such page") << httpAnswer(404, "") << 1 << QByteArray("answered status 404");
        QTest::newRow("redirects") << httpAnswer(302, "", "Location: http://elsewhere.example/x\r\n") << 1
                                   << QByteArray("redirects to \"http://elsewhere.example/x\"; if that is meant, give that URL in "
                                                 "reward.functions");
        QTest::newRow("no JSON") << httpAnswer(200, "<html>") << 1 << QByteArray("answered \"<html>\", which is not JSON");
        QTest::newRow("too few") << httpAnswer(200, scores("[1]")) << 1 << QByteArray("answered 1 scores for 2 samples");
        QTest::newRow("its own error") << httpAnswer(200, "{\"error\": {\"code\": 3}}") << 1
                                       << QByteArray("reports an error: \"{\\\"code\\\":3}\"");
        QTest::newRow("too much") << httpAnswer(200, QByteArray(2000000, 'x')) << 3
                                  << QByteArray("answered more than 1 MiB, at the last of 3 attempts");
        QTest::newRow("hangs") << QByteArray(LocalServer::kHang) << 1 << QByteArray("has not answered, within 0.4 s (reward.timeout)");
    }
    void failuresHaveOneClearCause()
    {
        QFETCH(QByteArray, answer);
        QFETCH(int, requests);
        QFETCH(QByteArray, expected);
        const LocalServer server(QList<QByteArray>(3, answer));
        HttpReward reward("server", optionsFor(server.url(), answer == LocalServer::kHang ? kImpatience : kPatience));
        const QByteArray cause = causeOf([&] { reward.scores(RewardSamples(2).batch); });
        QCOMPARE(cause, "the reward server \"" + QByteArray::fromStdString(server.url()) + "\" " + expected);
        QCOMPARE(server.requests().size(), requests);
    }

    void unreachableServersAreNamed_data()
    {
        QTest::addColumn<QByteArray>("url");
        QTest::newRow("nobody listens") << QByteArray("http://127.0.0.1:1/score");
        QTest::newRow("no network protocol") << QByteArray("file:///etc/passwd");
    }
    void unreachableServersAreNamed()
    {
        QFETCH(QByteArray, url);
        HttpReward reward("server", optionsFor(url.toStdString()));
        const QByteArray cause = causeOf([&] { reward.scores(RewardSamples(1).batch); });
        QVERIFY2(cause.startsWith("the reward server \"" + url + "\" cannot be reached ("), cause);
        QVERIFY2(cause.endsWith("), at the last of 3 attempts"), cause);
    }

    void areAbandonedWhileTheyAreAsked()
    {
        const LocalServer server({LocalServer::kHang, LocalServer::kHang});
        HttpReward reward("server", optionsFor(server.url(), std::chrono::hours(1)));
        JudgeReward judge("judge", {.service = optionsFor(server.url(), std::chrono::hours(1)), .model = "any", .question = "How many?", .workers = 1});
        const RewardSamples samples(1);
        for (engine::Reward* const each : {static_cast<engine::Reward*>(&reward), static_cast<engine::Reward*>(&judge)}) {
            auto asking = std::async(std::launch::async, [&] { return causeOf([&] { each->scores(samples.batch); }); });
            each->abandon();
            const QByteArray cause = asking.get();
            QVERIFY2(cause.contains("is not waited for any longer"), cause);
        }
    }

    void judgesAreAskedAboutEachImage()
    {
        const LocalServer server({chatAnswer("Score: 7.5/10"), chatAnswer("Score: 7.5/10"), chatAnswer("Score: 7.5/10")});
        JudgeReward reward("judge", {.service = {.url = server.url("/v1/chat/completions"), .bearer = "word"},
                                        .model = "vl", .question = "Does it show {prompt}? {prompt}!", .workers = 1});
        QVERIFY(at::equal(reward.scores(RewardSamples(3).batch), at::tensor({7.5F, 7.5F, 7.5F})));
        QVERIFY(server.requests()[0].contains("Authorization: Bearer word\r\n"));
        const QJsonObject sent = QJsonDocument::fromJson(server.body(2)).object();
        QCOMPARE(sent["model"].toString(), "vl");
        const QJsonValue content = sent["messages"][0]["content"];
        QCOMPARE(content[1]["text"].toString(), "Does it show prompt 2? prompt 2!");
        const QByteArray url = content[0]["image_url"]["url"].toString().toLatin1(), start = "data:image/png;base64,";
        QVERIFY(url.startsWith(start));
        QCOMPARE(QImage::fromData(QByteArray::fromBase64(url.mid(start.size())), "PNG").pixelColor(0, 0), QColor(51, 51, 51));
    }

    void judgesAreAskedSeveralThingsAtATime()
    {
        QList<QByteArray> answers;
        for (int i = 0; i < 20; ++i)
            answers << chatAnswer("4");
        const LocalServer server(answers);
        JudgeReward reward("judge", {.service = optionsFor(server.url()), .model = "vl", .question = "{prompt}", .workers = 4});
        QVERIFY(at::equal(reward.scores(RewardSamples(20).batch), at::full({20}, 4, at::kFloat)));
        QSet<QByteArray> bodies;
        for (int i = 0; i < 20; ++i)
            bodies << server.body(i);
        QCOMPARE(bodies.size(), 20);  // each image once
    }

    void judgesThatGiveNoNumberAreNamed_data()
    {
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<QByteArray>("expected");
        QTest::newRow("no number") << chatAnswer("A lovely picture.")
                                   << QByteArray("answered \"A lovely picture.\", in which there is no number; ask for one in "
                                                 "reward.judge_question");
        QTest::newRow("too large") << chatAnswer("1e39") << QByteArray(
            "answered \"1e39\", in which there is no number; ask for one in reward.judge_question");
        QTest::newRow("no text") << httpAnswer(200, "{\"choices\":[]}") << QByteArray(
            "answered \"{\\\"choices\\\":[]}\", which is no chat completion with a text");
        QTest::newRow("wrong model") << httpAnswer(404, "no such model") << QByteArray("answered status 404: \"no such model\"");
    }
    void judgesThatGiveNoNumberAreNamed()
    {
        QFETCH(QByteArray, answer);
        QFETCH(QByteArray, expected);
        const LocalServer server({answer});
        JudgeReward reward("judge", {.service = optionsFor(server.url()), .model = "vl", .question = "", .workers = 4});
        QCOMPARE(causeOf([&] { reward.scores(RewardSamples(1).batch); }),
            "the judge \"" + QByteArray::fromStdString(server.url()) + "\" " + expected);
    }

    void readsTheFirstNumber_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<double>("number");
        QTest::newRow("alone") << QByteArray("8") << 8.0;
        QTest::newRow("of ten") << QByteArray("I give it 8/10.") << 8.0;
        QTest::newRow("negative") << QByteArray("**-0.25**") << -0.25;
        QTest::newRow("exponent") << QByteArray("1.5e-3, maybe") << 0.0015;
        QTest::newRow("end of a sentence") << QByteArray("It is 3.") << 3.0;
    }
    void readsTheFirstNumber()
    {
        QFETCH(QByteArray, text);
        QTEST(engine::firstNumber(text.toStdString()).value(), "number");
    }
};

QTEST_GUILESS_MAIN(HttpRewardTest)
#include "tst_http_reward.moc"
