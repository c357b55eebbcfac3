// Rewards of real programs: shell scripts that answer, and those that crash, hang or answer nonsense.
#include "engine/comm/errors.h"
#include "engine/rewards/program_reward.h"
#include "tests/engine/rewards/reward_samples.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>

#include <QFile>
#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>

namespace fs = std::filesystem;
using engine::ProgramReward;
using std::chrono::milliseconds;
using tests::RewardSamples;
using tests::causeOf;
using tests::kPatience;

namespace {

constexpr milliseconds kShortPatience {80};

/// Reads a request into $request, its number into $id.
constexpr char kRead[] = "read -r request; id=${request#*:}; id=${id%%,*}\n";

/// Whether the process is gone, or ends within a few seconds.
bool ends(pid_t process)
{
    const int handle = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
    if (handle < 0)
        return errno == ESRCH;
    pollfd ended {handle, POLLIN, 0};
    const bool hasEnded = ::poll(&ended, 1, 10000) == 1;
    ::close(handle);
    return hasEnded;
}

}  // namespace

class ProgramRewardTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;

    fs::path path(const char* name) const { return m_folder->filePath(name).toStdString(); }

    fs::path program(const QByteArray& body, const QByteArray& firstLine = "#!/bin/sh") const
    {
        std::ofstream(path("score.sh")) << (firstLine + "\n" + body + "\n").toStdString();
        fs::permissions(path("score.sh"), fs::perms::owner_all);
        return path("score.sh");
    }

    QByteArray content(const char* name) const
    {
        QFile file(m_folder->filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("no such file");
    }

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void scoresBatchesAndStartsOnce()
    {
        ProgramReward reward("score",
            program("echo start >> starts; while " + QByteArray(kRead).replace("\n", "; ")
                + "[ -n \"$request\" ]; do echo '{\"scores\":[0.5,-2e1,'$id'],\"id\":'$id'}'; done; echo end >> starts"),
            kPatience);
        QCOMPARE(reward.name(), "score");
        const RewardSamples samples(3);
        for (int id = 1; id <= 3; ++id) {
            const at::Tensor scores = reward.scores(samples.batch);
            QCOMPARE(scores.scalar_type(), at::kFloat);
            QVERIFY(at::equal(scores, at::tensor({0.5F, -20.0F, static_cast<float>(id)})));
        }
        QCOMPARE(content("starts"), "start\n");  // in its own folder
    }

    void getsImagesPromptsAndFields()
    {
        ProgramReward reward("score",
            program(QByteArray(kRead) + "printf '%s' \"$request\" > request; echo '{\"id\":1,\"scores\":[1,2]}'"), kPatience);
        RewardSamples samples(2);
        samples.prompt(0) = {"a \"fox\"\n\xc3\xa4", R"({"colour": "red", "count": 2})"};
        samples.batch.images[1][0].fill_(2);    // clamped
        samples.batch.images[1][2].fill_(std::nan(""));
        reward.scores(samples.batch);
        const QJsonObject request = QJsonDocument::fromJson(content("request")).object();
        QCOMPARE(request["id"].toInt(), 1);
        const QJsonArray sent = request["samples"].toArray();
        QCOMPARE(sent.size(), 2);
        QCOMPARE(sent[0]["prompt"].toString(), QString::fromUtf8("a \"fox\"\n\xc3\xa4"));
        QCOMPARE(sent[0]["fields"]["colour"].toString(), "red");
        QCOMPARE(sent[1]["fields"].toObject(), QJsonObject());
        const auto image = [&](int i) {
            return QImage::fromData(QByteArray::fromBase64(sent[i]["image"].toString().toLatin1()), "PNG");
        };
        QCOMPARE(image(0).size(), QSize(2, 3));
        QCOMPARE(image(0).pixelColor(1, 2), QColor(0, 0, 0));
        QCOMPARE(image(1).pixelColor(0, 0), QColor(255, 26, 0));
    }

    void sendsMoreThanAPipeHolds()
    {
        ProgramReward reward("score", program(QByteArray(kRead) + "echo '{\"id\":1,\"scores\":['${#request}']}'"), kPatience);
        RewardSamples samples(1);
        samples.prompt(0).text.assign(1000000, 'x');
        QVERIFY(reward.scores(samples.batch).item<float>() > 1e6F);
    }

    void failuresHaveOneClearCause_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QByteArray>("expected");
        const auto answers = [](const char* answer) { return kRead + QByteArray("echo '") + answer + "'; read -r wait"; };
        QTest::newRow("ends before the request") << QByteArray("exit 3") << QByteArray("ended with exit status 3");
        QTest::newRow("ends without an answer") << QByteArray(kRead) + "exit 0" << QByteArray("ended with exit status 0");
        QTest::newRow("says why on its standard error") << QByteArray(kRead) + "printf 'Traceback:\\n  no GPU \\001\\n' >&2; exit 1"
            << QByteArray("ended with exit status 1; the end of its standard error: \"Traceback:\\n  no GPU \\u0001\"");
        QTest::newRow("only the end of it") << QByteArray(kRead) + "i=0; while [ $i -lt 2000 ]; do echo line $i >&2; i=$((i+1)); done; exit 1"
            << QByteArray("ended with exit status 1; the end of its standard error: \"line 1");
        QTest::newRow("is killed") << QByteArray(kRead) + "kill -9 $$" << QByteArray("was killed by signal 9 (Killed)");
        QTest::newRow("is killed, its child keeps the pipe")
            << QByteArray(kRead) + "sleep 1000 & kill -9 $$" << QByteArray("was killed by signal 9 (Killed)");
        QTest::newRow("unfinished answer") << QByteArray(kRead) + "printf '{\"id\":1,\"scores\":[1,1]}'"
            << QByteArray("ended with exit status 0");
        QTest::newRow("hangs") << QByteArray(kRead) + "sleep 1000" << QByteArray("has not answered within 0.08 s (reward.timeout)");
        QTest::newRow("does not read") << QByteArray("sleep 1000") << QByteArray("has not answered within 0.08 s (reward.timeout)");
        QTest::newRow("closes its output") << QByteArray("exec >&-; sleep 1000")
                                           << QByteArray("has closed its standard output without an answer");
        QTest::newRow("closes its input") << QByteArray("exec <&-; exec sleep 1000")
                                          << QByteArray("has closed its standard input without an answer");
        QTest::newRow("never ends a line") << QByteArray(kRead) + "while :; do printf 0123456789012345678901234567890123456789; done"
            << QByteArray("has written more than 1 MiB that answers nothing");
        QTest::newRow("log on its standard output") << answers("Loading …") << QByteArray("answered \"Loading …\", which is not JSON");
        QTest::newRow("control characters") << answers("\x1b[2J\xff") << QByteArray("answered \"\\u001b[2J\xef\xbf\xbd\", which is not JSON");
        QTest::newRow("endless nesting") << answers(QByteArray(10000, '[')) << QByteArray("answered \"[[[[[");
        QTest::newRow("empty line") << answers("") << QByteArray("answered \"\", which is not JSON");
        QTest::newRow("a list") << answers("[1, 2]") << QByteArray("answered \"[1, 2]\", which is not a JSON object");
        QTest::newRow("no number") << answers("{\"scores\":[1,2]}") << QByteArray("which is not the answer to request 1");
        QTest::newRow("another request") << answers("{\"id\":7,\"scores\":[1,2]}") << QByteArray("which is not the answer to request 1");
        QTest::newRow("no scores") << answers("{\"id\":1}") << QByteArray("which has no list \"scores\"");
        QTest::newRow("too few") << answers("{\"id\":1,\"scores\":[1]}") << QByteArray("answered 1 scores for 2 samples");
        QTest::newRow("too many") << answers("{\"id\":1,\"scores\":[1,2,3]}") << QByteArray("answered 3 scores for 2 samples");
        QTest::newRow("NaN as Python writes it") << answers("{\"id\":1,\"scores\":[1,NaN]}") << QByteArray("which is not JSON");
        QTest::newRow("too large for float32") << answers("{\"id\":1,\"scores\":[1,1e300]}")
            << QByteArray("answered the score \"1e+300\" for sample 2, which is not a finite number");
        QTest::newRow("a word for a score") << answers("{\"id\":1,\"scores\":[\"x\",1]}")
            << QByteArray("answered the score \"\\\"x\\\"\" for sample 1, which is not a finite number");
        QTest::newRow("its own error") << answers("{\"id\":1,\"error\":\"no face found\"}") << QByteArray("reports an error: \"no face found\"");
    }
    void failuresHaveOneClearCause()
    {
        QFETCH(QByteArray, body);
        QFETCH(QByteArray, expected);
        ProgramReward reward("score", program(body), expected.contains("0.08 s") ? kShortPatience : kPatience);
        const pid_t process = reward.process();
        RewardSamples samples(2);
        if (!body.startsWith(kRead))
            samples.prompt(0).text.assign(200000, 'x');  // more than a pipe holds
        const QByteArray cause = causeOf([&] { reward.scores(samples.batch); });
        const QByteArray beginning = "the reward program \"" + m_folder->path().toUtf8() + "/score.sh\" ";
        QVERIFY2(cause.startsWith(beginning), cause);
        QVERIFY2(cause.contains(expected), cause);
        QVERIFY2(cause.size() < 1000, cause);
        const bool isBadAnswer = cause.contains(" answered ") || cause.contains("reports");
        if (!isBadAnswer)
            QVERIFY(::kill(process, 0) != 0 && errno == ESRCH);  // no zombie either
    }

    void complaintsDoNotKeepAHungProgramAlive()
    {
        ProgramReward reward("score", program("echo busy >&2; touch started; while :; do echo busy >&2; done"), kShortPatience);
        QTRY_VERIFY(fs::exists(path("started")));
        const QByteArray cause = causeOf([&] { reward.scores(RewardSamples(1).batch); });
        QVERIFY2(cause.contains("has not answered within 0.08 s (reward.timeout); the end of its standard error: \"busy\\nbusy"), cause);
    }

    void programsThatCannotStartAreNamed_data()
    {
        QTest::addColumn<QByteArray>("firstLine");
        QTest::addColumn<QByteArray>("expected");
        QTest::newRow("no interpreter") << QByteArray("#!/none/such") << QByteArray("cannot be started: No such file or directory");
        QTest::newRow("no program") << QByteArray("1 + 1") << QByteArray(
            "cannot be started: Exec format error; a script begins with a line such as #!/bin/sh");
    }
    void programsThatCannotStartAreNamed()
    {
        QFETCH(QByteArray, firstLine);
        QFETCH(QByteArray, expected);
        const fs::path file = program("", firstLine);
        const QByteArray cause = causeOf([&] { ProgramReward("score", file, kPatience); });
        QCOMPARE(cause, "the reward program \"" + QByteArray::fromStdString(file.string()) + "\" " + expected);
        QCOMPARE(::waitpid(-1, nullptr, WNOHANG), -1);  // nothing is left
    }

    void killedBetweenBatches()
    {
        ProgramReward reward("score", program(QByteArray(kRead) + "echo '{\"id\":1,\"scores\":[1]}'; read -r wait"), kPatience);
        const RewardSamples samples(1);
        reward.scores(samples.batch);
        ::kill(reward.process(), SIGKILL);
        const QByteArray cause = causeOf([&] { reward.scores(samples.batch); });
        QVERIFY2(cause.endsWith("was killed by signal 9 (Killed)"), cause);
        QVERIFY2(causeOf([&] { reward.scores(samples.batch); }).endsWith("has ended"), "the second time");
    }

    void isAbandonedWhileItIsAsked()
    {
        ProgramReward reward("score", program("read -r request; touch asked; sleep 3600"), std::chrono::hours(1));
        const RewardSamples samples(1);
        auto asking = std::async(std::launch::async, [&] { return causeOf([&] { reward.scores(samples.batch); }); });
        QTRY_VERIFY(fs::exists(path("asked")));
        reward.abandon();
        const QByteArray cause = asking.get();
        QVERIFY2(cause.endsWith("is not waited for any longer"), cause);
        QVERIFY2(causeOf([&] { reward.scores(samples.batch); }).endsWith("has ended"), "the second time");
    }

    void endsByItselfAtTheEndOfItsInput()
    {
        auto reward = std::make_unique<ProgramReward>("score", program("while read -r request; do :; done; echo bye > farewell"), kPatience);
        const pid_t process = reward->process();
        reward.reset();
        QCOMPARE(content("farewell"), "bye\n");
        QVERIFY(::kill(process, 0) != 0);
    }

    void itsWholeGroupIsKilledAtTheEnd()
    {
        auto reward = std::make_unique<ProgramReward>("score",
            program(QByteArray(kRead) + "sleep 1000 & echo '{\"id\":1,\"scores\":['$!']}'; wait"), kPatience);
        const auto child = static_cast<pid_t>(reward->scores(RewardSamples(1).batch).item<float>());
        const pid_t process = reward->process();
        QCOMPARE(::kill(child, 0), 0);
        reward.reset();
        QVERIFY(::kill(process, 0) != 0);
        QVERIFY(ends(child));
    }

    void diesWithTheProcessThatStartedIt()
    {
        int ends_[2];
        QCOMPARE(::pipe(ends_), 0);
        const fs::path file = program("exec sleep 1000");
        const pid_t rank = ::fork();
        if (rank == 0) {
            const ProgramReward reward("score", file, kPatience);
            const pid_t process = reward.process();
            [[maybe_unused]] const auto written = ::write(ends_[1], &process, sizeof process);
            for (;;)
                ::pause();
        }
        pid_t process = 0;
        QCOMPARE(::read(ends_[0], &process, sizeof process), static_cast<ssize_t>(sizeof process));
        QCOMPARE(::kill(process, 0), 0);
        ::kill(rank, SIGKILL);
        QCOMPARE(::waitpid(rank, nullptr, 0), rank);
        QVERIFY(ends(process));
        ::close(ends_[0]);
        ::close(ends_[1]);
    }

    void keepsNoFileOfTheRankOpen()
    {
        int ends_[2];
        QCOMPARE(::pipe(ends_), 0);  // as a socket of a library may be, without FD_CLOEXEC
        const ProgramReward reward("score", program("read -r request"), kPatience);
        ::close(ends_[1]);
        pollfd closed {ends_[0], POLLIN, 0};
        QCOMPARE(::poll(&closed, 1, 0), 1);
        QVERIFY((closed.revents & POLLHUP) != 0);
        ::close(ends_[0]);
    }

    void inheritsNoBlockedSignals()
    {
        sigset_t all, former;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &former);
        ProgramReward reward("score", program(QByteArray(kRead) + "kill -TERM $$; echo '{\"id\":1,\"scores\":[1]}'"), kPatience);
        const QByteArray cause = causeOf([&] { reward.scores(RewardSamples(1).batch); });
        pthread_sigmask(SIG_SETMASK, &former, nullptr);
        QVERIFY2(cause.endsWith("was killed by signal 15 (Terminated)"), cause);
    }
};

QTEST_GUILESS_MAIN(ProgramRewardTest)
#include "tst_program_reward.moc"
