// Random texts: the ids of Hugging Face's tokenizers and of SentencePiece, on the goldens' vocabularies.
#include "engine/text/tokenizer.h"
#include "tests/engine/goldens/case_rows.h"
#include "tests/engine/goldens/golden_folders.h"
#include "tests/paths.h"
#include "tests/peers/program_output.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <filesystem>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using Json = nlohmann::json;

class TokenIdsTest : public QObject {
    Q_OBJECT

    Json m_expected;

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
        QStringList arguments = {ATELIER_SOURCE_DIR "/tests/peers/token_ids.py", "10000", "1"};
        for (const fs::path& folder : tests::modelCases(tests::CaseKind::Tokenizer))
            arguments.append(QString::fromStdString(folder.string()));
        const QByteArray ids = output(python, arguments);
        QVERIFY2(!ids.isEmpty(), "tests/peers/token_ids.py failed");
        m_expected = Json::parse(ids.toStdString());
    }

    void idsAreTheSame_data()
    {
        QTest::addColumn<QString>("folder");
        for (const fs::path& folder : tests::rowsOf(tests::modelCases(tests::CaseKind::Tokenizer)))
            QTest::newRow(folder.filename().c_str()) << QString::fromStdString(folder.string());
    }
    void idsAreTheSame()
    {
        QFETCH(QString, folder);
        const fs::path path = folder.toStdString();
        const auto tokenizer = engine::openTokenizer(path / tests::caseJson(path).at("tokenizer"));
        const Json& rows = m_expected.at(path.filename());
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
