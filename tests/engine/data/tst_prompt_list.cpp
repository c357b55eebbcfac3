#include "engine/data/prompt_list.h"

#include <QTemporaryDir>
#include <QtTest>

#include <exception>

namespace {

/// Each prompt and its fields on a line.
QByteArray described(const std::vector<engine::Prompt>& prompts)
{
    QByteArray text;
    for (const auto& [prompt, fields] : prompts)
        text += prompt + " " + fields + "\n";
    return text;
}

QByteArray nested(int depth) { return "{\"prompt\": \"x\", \"a\": " + QByteArray(depth, '[') + QByteArray(depth, ']') + "}"; }

}  // namespace

class PromptListTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    std::filesystem::path written(const QString& name, const QByteArray& content) const
    {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("%s", qPrintable(file.errorString()));
        return file.fileName().toStdString();
    }

private Q_SLOTS:
    void everyLineIsAPrompt_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QByteArray>("prompts");
        const auto row = [](const char* what, const char* name, const QByteArray& content, const QByteArray& prompts) {
            QTest::newRow(what) << QString(name) << content << prompts;
        };
        row("A-110 text", "a.txt", "a red heart\nghost", "a red heart {}\nghost {}\n");
        row("white space, empty lines, Windows' line ends", "b.txt", "\r\n  a red heart \t\r\n\n \nghost\r\n", "a red heart {}\nghost {}\n");
        row("a byte order mark", "c.txt", "\xEF\xBB\xBFghost\n", "ghost {}\n");
        row("the same twice", "d.txt", "ghost\nghost\n", "ghost {}\nghost {}\n");
        row("braces that are no JSON", "e.txt", "{red|blue} heart\n{\"x\": 1}\n", "{red|blue} heart {}\n{\"x\": 1} {}\n");
        row("other characters", "f.txt", "c\xC5\x93ur \xE2\x9D\xA4\n", "c\xC5\x93ur \xE2\x9D\xA4 {}\n");
        row("JSON lines by their name", "g.jsonl", "{\"prompt\": \" ghost \"}\n", "ghost {}\n");
        row("JSON lines by their beginning, with fields", "h.txt",
            "\xEF\xBB\xBF\n{\"prompt\": \"two cats\", \"count\": 2, \"who\": [\"cat\"]}\n{\"seed\": 12345678901234567, \"prompt\": \"c\\u0153ur\"}",
            "two cats {\"count\":2,\"who\":[\"cat\"]}\nc\xC5\x93ur {\"seed\":12345678901234567}\n");
        row("a space after the brace", "h2.txt", "{ \"prompt\": \"ghost\" }\n", "ghost {}\n");
        row("JSON lines by other names", "h3.ndjson", "{\"prompt\": \"ghost\"}\n", "ghost {}\n");
        row("a prompt in brackets", "h4.txt", "[red] heart\n", "[red] heart {}\n");
        row("as deep as may be", "i.jsonl", nested(contract::kMaxPromptFieldDepth - 1), "x {\"a\":" + QByteArray(63, '[') + QByteArray(63, ']') + "}\n");
        row("the longest prompt", "j.txt", QByteArray(65536, 'a'), QByteArray(65536, 'a') + " {}\n");
    }
    void everyLineIsAPrompt()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, content);
        QTEST(described(engine::readPrompts(written(name, content))), "prompts");
    }

    void aBadLineIsNamed_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QByteArray>("cause");
        const auto row = [](const char* what, const char* name, const QByteArray& content, const QByteArray& cause) {
            QTest::newRow(what) << QString(name) << content << cause;
        };
        const QByteArray good = "{\"prompt\": \"x\"}\n";
        row("empty", "a.txt", "", ": has no prompts; write one on each line");
        row("only white space", "b.jsonl", " \n\t\r\n", ": has no prompts; write one on each line");
        row("Latin-1", "c.txt", "ghost\nc\x9Cur\n", ", line 2: is not UTF-8");
        row("UTF-16", "d.txt", QByteArray("g\0h\0\n\0", 6), ", line 1: has a NUL character");
        row("a NUL in JSON", "e.jsonl", "{\"prompt\": \"a\\u0000b\"}", ", line 1: has a NUL character");
        row("broken JSON at the beginning", "f.txt", "{\"prompt\": \"x\",}\n", ", line 1: is not a JSON object");
        row("a text between JSON lines", "g.txt", good + "\nghost\n", ", line 3: is not a JSON object");
        row("a list", "h.jsonl", good + "[1]\n", ", line 2: is not a JSON object");
        row("a list of all", "h2.json", " [\n" + good + "]\n", "h2.json: is a JSON list; write one object on each line");
        row("no prompt", "i.jsonl", good + "{\"text\": \"x\"}\n", ", line 2: has no text named \"prompt\"");
        row("a prompt that is no text", "j.jsonl", "{\"prompt\": 3}\n", ", line 1: has no text named \"prompt\"");
        row("an empty prompt", "k.jsonl", good + "{\"prompt\": \" \"}\n", ", line 2: has an empty prompt");
        row("half a surrogate pair", "l.jsonl", "{\"prompt\": \"\\ud800\"}\n", ", line 1: is not a JSON object");
        row("too deep", "m.jsonl", good + nested(contract::kMaxPromptFieldDepth), ", line 2: has objects or lists more than 64 deep");
        row("far too deep", "n.jsonl", nested(200000), ", line 1: has objects or lists more than 64 deep");
        row("a long prompt", "o.txt", QByteArray(65537, 'a'), ", line 1: has a prompt of more than 65536 bytes");
        row("a long line", "p.jsonl", "{\"prompt\": \"x\", \"a\": \"" + QByteArray(1 << 20, 'a') + "\"}", ", line 1: has more than 1048576 bytes");
        row("a name with a line break", "q\n.txt", "", "q\\x0a.txt: has no prompts");
    }
    void aBadLineIsNamed()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, content);
        QFETCH(QByteArray, cause);
        QByteArray message;
        try {
            engine::readPrompts(written(name, content));
        } catch (const std::exception& error) {
            message = error.what();
        }
        QVERIFY2(message.contains(cause) && !message.contains('\n'), message);
    }

    void whatIsNoFileOrTooLargeIsRefused()
    {
        const QByteArray folder = m_folder.path().toUtf8();
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, engine::readPrompts(folder.toStdString()));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, engine::readPrompts("/no/such/file"));
        const auto large = written("large.txt", "x");
        std::filesystem::resize_file(large, contract::kMaxPromptFileBytes + 1);
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, engine::readPrompts(large));
    }

    void promptsOfAnOptionAreSplit()
    {
        const std::vector<std::string> expected = {"a red heart", "ghost"};
        QVERIFY(engine::splitPrompts(" a red heart |\tghost") == expected);
        QVERIFY(engine::splitPrompts("|a red heart|| ghost | ") == expected);
        QVERIFY(engine::splitPrompts(" | ").empty() && engine::splitPrompts("").empty());
    }
};

QTEST_GUILESS_MAIN(PromptListTest)
#include "tst_prompt_list.moc"
