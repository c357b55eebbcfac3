// reward.functions: what it may say, what is refused, and its paths.
#include "engine/contract/experiment/reward_spec.h"
#include "engine/contract/formats/text.h"
#include "tests/paths.h"

#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;
using contract::Problem;

namespace {

/// "scope:kind target weight key" of each reward, with semicolons between them; or the problem.
QByteArray rewardText(std::string_view functions)
{
    static constexpr const char* kScopes[] = {"", "group:", "pairs:"};
    static constexpr const char* kKinds[] = {"built-in", "program", "server", "judge", "clip", "aesthetic", "script", "package"};
    Problem problem;
    const auto specs = contract::parseRewards(functions, problem);
    if (!specs)
        return QByteArray::fromStdString(problem.key + "|" + problem.message);
    std::string text;
    for (const contract::RewardSpec& spec : *specs)
        text += std::string(text.empty() ? "" : "; ") + kScopes[static_cast<int>(spec.scope)] + kKinds[static_cast<int>(spec.kind)] + " " + spec.target + " "
            + contract::shortestText(spec.weight) + " " + spec.key;
    return QByteArray::fromStdString(text);
}

}  // namespace

class RewardSpecTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    fs::path folder() const { return m_folder.path().toStdString(); }
    std::string file(const char* name, fs::perms permissions = fs::perms::owner_all) const
    {
        std::ofstream(folder() / name) << "#!/bin/sh\n";
        fs::permissions(folder() / name, permissions);
        return (folder() / name).string();
    }

private Q_SLOTS:
    void readsRewards_data()
    {
        QTest::addColumn<QByteArray>("functions");
        QTest::addColumn<QByteArray>("expected");
        QTest::newRow("nothing") << QByteArray("  ") << QByteArray();
        QTest::newRow("weight 1") << QByteArray("jpeg_size") << QByteArray("built-in jpeg_size 1 jpeg_size");
        QTest::newRow("several") << QByteArray("jpeg_size:-0.5,brightness : 0") << QByteArray(
            "built-in jpeg_size -0.5 jpeg_size; built-in brightness 0 brightness");
        QTest::newRow("lines") << QByteArray("jpeg_size,\n\tbrightness\n") << QByteArray(
            "built-in jpeg_size 1 jpeg_size; built-in brightness 1 brightness");
        QTest::newRow("program") << QByteArray("program:./my score.sh:2e-3") << QByteArray("program ./my score.sh 0.002 my_score");
        QTest::newRow("program without weight") << QByteArray("program:score") << QByteArray("program score 1 score");
        QTest::newRow("all samples of a prompt") << QByteArray("group:program:rank:2, group:http://host:80/x, group:m.pt") << QByteArray(
            "group:program rank 2 rank; group:server http://host:80/x 1 host_80_x; group:script m.pt 1 m");
        QTest::newRow("two at a time") << QByteArray("pairs:judge:http://host:80/c:3, 'pairs:program:a,b', program:a:0, pairs: m.pt2") << QByteArray(
            "pairs:judge http://host:80/c 3 host_80_c; pairs:program a,b 1 a_b; program a 0 a; pairs:package m.pt2 1 m");
        QTest::newRow("one program twice") << QByteArray("program:a, group:program:a") << QByteArray("program a 1 a; group:program a 1 a_2");
        QTest::newRow("quotes") << QByteArray("'program:a,b:\"2\".sh':3, \"x:1.pt\"") << QByteArray(
            "program a,b:\"2\".sh 3 a_b__2_; script x:1.pt 1 x_1");
        QTest::newRow("server") << QByteArray("http://127.0.0.1:8000/a/b") << QByteArray("server http://127.0.0.1:8000/a/b 1 127.0.0.1_8000_a_b");
        QTest::newRow("server with a weight") << QByteArray("https://host/:7") << QByteArray("server https://host/ 7 host");
        QTest::newRow("judge") << QByteArray("judge:https://host:1/v1/chat:0.1, 'judge:http://host/a,b'")
                               << QByteArray("judge https://host:1/v1/chat 0.1 host_1_v1_chat; judge http://host/a,b 1 host_a_b");
        QTest::newRow("CLIP") << QByteArray("clip:/m/Pick.v1:0.0385, clip:my models/Pick.v1/, aesthetic:/m/L:2") << QByteArray(
            "clip /m/Pick.v1 0.0385 Pick.v1; clip my models/Pick.v1/ 1 Pick.v1_2; aesthetic /m/L 2 L");
        QTest::newRow("models") << QByteArray("a.pt:1, b/a.pt2, c:/a.pt") << QByteArray(
            "script a.pt 1 a; package b/a.pt2 1 a_2; script c:/a.pt 1 a_3");
    }
    void readsRewards()
    {
        QFETCH(QByteArray, functions);
        QFETCH(QByteArray, expected);
        QCOMPARE(rewardText(functions.toStdString()), expected);
    }

    void mistakesAreNamed_data()
    {
        QTest::addColumn<QByteArray>("functions");
        QTest::addColumn<QByteArray>("expected");
        QTest::newRow("unknown") << QByteArray("beauty:1") << QByteArray(
            "there is no reward \"beauty\"; there are blueness, brightness, greenness, jpeg_size, jpeg_size_up, redness, program:PATH, "
            "http://HOST:PORT/PATH, judge:URL, clip:FOLDER, aesthetic:FOLDER, and paths of .pt and .pt2 files; group: and pairs: may stand before those that compare "
            "samples");
        QTest::newRow("misspelt") << QByteArray("jpg_size") << QByteArray("there is no reward \"jpg_size\"; did you mean jpeg_size?");
        QTest::newRow("control characters") << QByteArray("\x1b[2J") << QByteArray("there is no reward \"\\u001b[2J\"");
        QTest::newRow("no weight") << QByteArray("jpeg_size:") << QByteArray("the weight of \"jpeg_size\" is \"\", but must be a finite number");
        QTest::newRow("weight in words") << QByteArray("program:./a.sh:half") << QByteArray("the weight of \"program:./a.sh\" is \"half\"");
        QTest::newRow("infinite weight") << QByteArray("jpeg_size:Infinity") << QByteArray("must be a finite number");
        QTest::newRow("weight NaN") << QByteArray("jpeg_size:NaN") << QByteArray("must be a finite number");
        QTest::newRow("twice") << QByteArray("jpeg_size:1, jpeg_size:2") << QByteArray("\"jpeg_size\" is there twice");
        QTest::newRow("two commas") << QByteArray("jpeg_size,,brightness") << QByteArray("a reward has no name");
        QTest::newRow("last comma") << QByteArray("jpeg_size,") << QByteArray("nothing comes after the last comma");
        QTest::newRow("open quotes") << QByteArray("'jpeg_size:1") << QByteArray("the quotes before \"jpeg_size:1\" are not closed");
        QTest::newRow("after quotes") << QByteArray("'jpeg_size' 1") << QByteArray("must come a colon and the weight, or a comma, not \"1\"");
        QTest::newRow("inner quotes") << QByteArray("program:'a.sh'") << QByteArray("they must enclose the whole name");
        QTest::newRow("no program") << QByteArray("program::1") << QByteArray("after program: must come the path");
        QTest::newRow("no judge") << QByteArray("judge:./a.sh") << QByteArray("after judge: must come a URL");
        QTest::newRow("no folder") << QByteArray("clip:") << QByteArray("after clip: must come the folder of a CLIP model");
        QTest::newRow("no folder with a head") << QByteArray("aesthetic: ") << QByteArray("after aesthetic: must come the folder");
        QTest::newRow("port of a judge") << QByteArray("judge:http://host:80") << QByteArray("the URL \"http://host\" has no path");
        QTest::newRow("port taken for a weight") << QByteArray("http://127.0.0.1:8000") << QByteArray(
            "the URL \"http://127.0.0.1\" has no path: write at least a slash after the host and port");
        QTest::newRow("a group of nothing") << QByteArray("group: , jpeg_size") << QByteArray("after group: must come a reward, as in group:program:./rank.py");
        QTest::newRow("a group of a reward that sees one sample") << QByteArray("group:jpeg_size:2") << QByteArray(
            "\"group:jpeg_size\": this reward scores each sample alone; only programs, servers, judges and .pt and .pt2 files score groups");
        QTest::newRow("pairs of a CLIP model") << QByteArray("pairs:clip:./m") << QByteArray(
            "\"pairs:clip:./m\": this reward scores each sample alone; only programs, servers, judges and .pt and .pt2 files score pairs");
        QTest::newRow("no host") << QByteArray("http:///x") << QByteArray("names no host");
        QTest::newRow("password") << QByteArray("http://me:word@host/x") << QByteArray("has a user name or a password");
        QTest::newRow("space in a URL") << QByteArray("http://host/a b") << QByteArray("has spaces or control characters");
        QByteArray many = "jpeg_size";
        for (int i = 0; i < 64; ++i)
            many += ", " + QByteArray::number(i) + ".pt";
        QTest::newRow("too many") << many << QByteArray("there are more than 64 rewards");
    }
    void mistakesAreNamed()
    {
        QFETCH(QByteArray, functions);
        QFETCH(QByteArray, expected);
        const QByteArray text = rewardText(functions.toStdString());
        QVERIFY2(text.startsWith("reward.functions|reward.functions: "), text);
        QVERIFY2(text.contains(expected), text);
        QCOMPARE(contract::problemsOfRewards(functions.toStdString()).size(), std::size_t {1});
    }

    void filesMustBeThere_data()
    {
        QTest::addColumn<QByteArray>("functions");
        QTest::addColumn<QByteArray>("expected");  ///< with spaces between the sentences, FOLDER for the folder
        QTest::newRow("all there") << QByteArray("program:FOLDER/program, FOLDER/model.pt, FOLDER/model.pt2, jpeg_size, http://nowhere/")
                                   << QByteArray();
        QTest::newRow("missing") << QByteArray("program:FOLDER/none, FOLDER/none.pt")
                                 << QByteArray("reward.functions: \"FOLDER/none\": no such file "
                                               "reward.functions: \"FOLDER/none.pt\": no such file");
        QTest::newRow("folder") << QByteArray("program:FOLDER") << QByteArray("reward.functions: \"FOLDER\": is not a file");
        QTest::newRow("CLIP folder") << QByteArray("clip:FOLDER/none, clip:FOLDER")
                                     << QByteArray("reward.functions: FOLDER/none: does not exist reward.functions: FOLDER: is not a model "
                                                   "folder: it has neither model_index.json nor config.json");
        QTest::newRow("no program") << QByteArray("program:FOLDER/text") << QByteArray(
            "reward.functions: \"FOLDER/text\": cannot be executed (Permission denied); chmod +x makes it a program");
        QTest::newRow("none") << QByteArray("") << QByteArray(
            "reward.functions is not set: give at least one reward to train by, as in jpeg_size:1");
        QTest::newRow("all of weight 0") << QByteArray("jpeg_size:0, brightness:-0.0") << QByteArray(
            "reward.functions: all weights are 0, so that there is nothing to train on; give one reward another weight");
    }
    void filesMustBeThere()
    {
        QFETCH(QByteArray, functions);
        QFETCH(QByteArray, expected);
        for (const char* name : {"program", "model.pt", "model.pt2"})
            file(name);
        file("text", fs::perms::owner_read);
        QByteArray sentences;
        for (const Problem& problem : contract::problemsOfRewards(functions.replace("FOLDER", m_folder.path().toUtf8()).toStdString())) {
            QCOMPARE(problem.key, "reward.functions");
            sentences += (sentences.isEmpty() ? "" : " ") + QByteArray::fromStdString(problem.message);
        }
        QCOMPARE(sentences.replace(m_folder.path().toUtf8(), "FOLDER"), expected);
    }

    void headsMustBeThere()
    {
        const std::string clip = ATELIER_SOURCE_DIR "/tests/goldens/models/clip_model/model";
        QVERIFY(contract::problemsOfRewards("clip:" + clip).empty());
        const auto problems = contract::problemsOfRewards("aesthetic:" + clip);
        QCOMPARE(problems.size(), std::size_t {1});
        const std::string& said = problems.front().message;
        QVERIFY2(said.starts_with("reward.functions: " + clip + "/aesthetic.safetensors: is missing"), said.c_str());
    }

    void judgesNeedAModel()
    {
        const char* const functions = "judge:http://host/v1/chat/completions";
        const auto problems = contract::problemsOfRewards(functions);
        QCOMPARE(problems.size(), std::size_t {1});
        QCOMPARE(problems.front().key, "reward.judge_model");
        QVERIFY(contract::problemsOfRewards(functions, "vl").empty());
    }

    void filesOfExperimentsGivePathsRelativeToTheirFolder()
    {
        const auto parsed = contract::parseExperiment("[reward]\nfunctions = \"program:./a.sh:0.5, jpeg_size\"\n", "/home/x");
        QVERIFY(parsed.problems.empty());
        QCOMPARE(parsed.experiment.text("reward.functions"), "program:/home/x/a.sh:0.5, jpeg_size:1");
    }

    void pathsBecomeAbsolute_data()
    {
        QTest::addColumn<QByteArray>("functions");
        QTest::addColumn<QByteArray>("expected");
        QTest::newRow("files") << QByteArray("jpeg_size, program:./a.sh:0.5, ../b.pt, /c.pt2") << QByteArray(
            "jpeg_size:1, program:/home/x/a.sh:0.5, /home/b.pt:1, /c.pt2:1");
        QTest::newRow("others") << QByteArray("http://host:80/x:2, judge:http://host/y")
                                << QByteArray("http://host:80/x:2, judge:http://host/y:1");
        QTest::newRow("folders") << QByteArray("clip:../m/, clip:/c:2, aesthetic:m") << QByteArray(
            "clip:/home/m/:1, clip:/c:2, aesthetic:/home/x/m:1");
        QTest::newRow("groups and pairs") << QByteArray("group:program:a.sh, pairs:b.pt:2, pairs:judge:http://h/") << QByteArray(
            "group:program:/home/x/a.sh:1, pairs:/home/x/b.pt:2, pairs:judge:http://h/:1");
        QTest::newRow("quotes stay") << QByteArray("\"program:a, b's.sh\":2") << QByteArray("\"program:/home/x/a, b's.sh\":2");
        QTest::newRow("colons") << QByteArray("'a:b.pt'") << QByteArray("/home/x/a:b.pt:1");
        QTest::newRow("a mistake") << QByteArray("./a.pt, beauty") << QByteArray("./a.pt, beauty");
        QTest::newRow("nothing") << QByteArray() << QByteArray();
    }
    void pathsBecomeAbsolute()
    {
        QFETCH(QByteArray, functions);
        QFETCH(QByteArray, expected);
        const std::string absolute = contract::withAbsoluteRewardPaths(functions.toStdString(), "/home/x");
        QCOMPARE(QByteArray::fromStdString(absolute), expected);
        QCOMPARE(contract::withAbsoluteRewardPaths(absolute, "/elsewhere"), absolute);
    }
};

QTEST_GUILESS_MAIN(RewardSpecTest)
#include "tst_reward_spec.moc"
