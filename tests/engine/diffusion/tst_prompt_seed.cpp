// The seed that a prompt's samples share, against Python's hashlib.md5(str(tuple(ids)).encode()).
#include "engine/diffusion/prompt_seed.h"

#include <QtTest>

#include <numeric>
#include <vector>

using Tokens = std::vector<std::int64_t>;

class PromptSeedTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void seedsAreThoseOfPython_data()
    {
        QTest::addColumn<Tokens>("tokens");
        QTest::addColumn<quint64>("seed");
        const auto repeated = [](std::size_t count, std::int64_t token, std::int64_t last) {
            Tokens tokens(count, token);
            tokens.push_back(last);
            return tokens;
        };
        Tokens many(100);
        std::iota(many.begin(), many.end(), 0);
        QTest::newRow("A-047 nothing") << Tokens {} << quint64 {13607820625314827889U};
        QTest::newRow("A-047 one") << Tokens {7} << quint64 {496987075149151640U};
        QTest::newRow("A-047 a prompt") << Tokens {101, 2023, 49407} << quint64 {13950068078033429450U};
        QTest::newRow("A-047 55 characters") << repeated(5, 12345678, 123) << quint64 {1167196874845173866U};
        QTest::newRow("A-047 56 characters") << repeated(5, 12345678, 1234) << quint64 {9677836852387179754U};
        QTest::newRow("A-047 57 characters") << repeated(5, 12345678, 12345) << quint64 {7977495076210840754U};
        QTest::newRow("A-047 several blocks") << many << quint64 {8020023855047193826U - 12};
    }
    void seedsAreThoseOfPython()
    {
        QFETCH(Tokens, tokens);
        QFETCH(quint64, seed);
        QCOMPARE(quint64 {engine::promptSeed(tokens, 0)}, seed);
        QCOMPARE(quint64 {engine::promptSeed(tokens, 12)}, seed + 12);
    }
};

QTEST_APPLESS_MAIN(PromptSeedTest)
#include "tst_prompt_seed.moc"
