// Random texts: the ids of Hugging Face's tokenizers and of SentencePiece, on the goldens' vocabularies.
#include "engine/text/tokenizer.h"
#include "tests/peers/program_output.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using Json = nlohmann::json;

class TokenIdsTest : public QObject {
    Q_OBJECT

    Json m_expected;

    static fs::path goldens()
    {
        const char* elsewhere = std::getenv("ATELIER_GOLDENS");
        return (elsewhere ? fs::path(elsewhere) : fs::path(ATELIER_SOURCE_DIR "/tests/goldens")) / "models";
    }

    /// Standard output of a program that must end well.
    static QByteArray output(const QString& program, const QStringList& arguments)
    {
        int exitCode = 0;
        const QByteArray told = tests::outputOf(program, arguments, &exitCode);
        return exitCode == 0 ? told : QByteArray();
    }

private Q_SLOTS:
    void initTestCase()
    {
        const QByteArray python = output(ATELIER_SOURCE_DIR "/tests/peers/environment", {}).trimmed();
        QVERIFY2(!python.isEmpty(), "tests/peers/environment failed");
        const QByteArray ids = output(python, {ATELIER_SOURCE_DIR "/tests/peers/token_ids.py", QString::fromStdString(goldens().string()), "10000", "1"});
        QVERIFY2(!ids.isEmpty(), "tests/peers/token_ids.py failed");
        m_expected = Json::parse(ids.toStdString());
    }

    void idsAreTheSame_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"tokenizer_clip", "tokenizer_qwen2", "tokenizer_t5"})
            QTest::newRow(name) << name;
    }
    void idsAreTheSame()
    {
        QFETCH(QString, name);
        const auto tokenizer = engine::openTokenizer(goldens() / name.toStdString() / "tokenizer");
        const Json& rows = m_expected.at(name.toStdString());
        QVERIFY(rows.size() > 9000);
        for (const Json& row : rows) {
            const std::string text = row.at("text");
            const auto ids = tokenizer->tokens(text);
            QVERIFY2(ids == row.at("ids").get<std::vector<std::int64_t>>(), (row.dump(-1, ' ', true) + " became " + Json(ids).dump()).c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TokenIdsTest)
#include "tst_token_ids.moc"
