// Cases that the goldens do not cover: words and normal forms by definition, text that is not UTF-8, long words.
#include "engine/text/added_tokens.h"
#include "engine/text/byte_pairs.h"
#include "engine/text/prompt_template.h"
#include "engine/text/unicode.h"
#include "engine/text/unigram.h"
#include "engine/text/word_rules.h"
#include "tests/support/processor_time.h"

#include <QtTest>

#include <map>

using engine::codePoints;
using engine::utf8;
using Ids = std::vector<std::int64_t>;

namespace {

QStringList wordsOf(const engine::WordRules& rules, const char* text)
{
    const std::u32string normal = rules.normalized(codePoints(text));
    QStringList words;
    for (const std::u32string_view word : rules.words(normal))
        words += QString::fromStdString(utf8(word));
    return words;
}

/// A vocabulary of all bytes, and of what the merges make.
engine::BytePairTables tablesOf(const std::vector<std::pair<std::string, std::string>>& merges)
{
    engine::BytePairTables tables;
    for (unsigned byte = 0; byte < 256; ++byte)
        tables.vocabulary[engine::byteSpelling(static_cast<unsigned char>(byte))] = static_cast<std::int32_t>(byte);
    for (const auto& [left, right] : merges)
        tables.vocabulary.emplace(left + right, static_cast<std::int32_t>(tables.vocabulary.size()));
    tables.merges = merges;
    return tables;
}

QString tokensOf(const engine::BytePairs& pairs, const std::string& word)
{
    Ids ids;
    pairs.append(word, ids);
    QStringList tokens;
    for (const std::int64_t id : ids)
        tokens += QString::fromStdString(pairs.bytes(id));
    return tokens.join('|');
}

engine::SentencePieceModel smallModel()
{
    using Kind = engine::SentencePiece::Kind;
    engine::SentencePieceModel model;
    model.pieces = {{"<unk>", 0, Kind::Unknown}, {"\u2581", -3, Kind::Normal}, {"a", -2, Kind::Normal}, {"b", -2, Kind::Normal},
        {"ab", -3, Kind::Normal}, {"\u2581ab", -7, Kind::Normal}, {"<x>", 0, Kind::UserDefined}};
    return model;
}

QString piecesOf(const engine::Unigram& unigram, const std::string& text)
{
    Ids ids;
    unigram.append(text, ids);
    QStringList shown;
    for (const std::int64_t id : ids)
        shown += QString::number(id);
    return shown.join(' ');
}

}  // namespace

class TokenizersTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bytesThatAreNotUtf8_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("text");
        const QString r(QChar(0xFFFD));
        // The rows of table 3-8 to 3-11 of the Unicode standard, and both ends of every range.
        QTest::newRow("non-shortest forms") << QByteArray("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41") << r.repeated(8) + "A";
        QTest::newRow("surrogates") << QByteArray("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41") << r.repeated(8) + "A";
        QTest::newRow("beyond Unicode") << QByteArray("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42") << r.repeated(5) + "A" + r.repeated(2) + "B";
        QTest::newRow("cut short") << QByteArray("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41") << r.repeated(4) + "A";
        QTest::newRow("cut short at the end") << QByteArray("a\xF0\x9F\x98") << "a" + r;
        QTest::newRow("valid") << QByteArray("a\u00e9\u0800\uFFFD\U00010000\U0010FFFF") << QString::fromUtf8("a\u00e9\u0800\uFFFD\U00010000\U0010FFFF");
    }
    void bytesThatAreNotUtf8()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, text);
        QCOMPARE(QString::fromStdU32String(codePoints(bytes.toStdString())), text);
    }

    void qtAgreesOnClassesAndCases()
    {
        // Qt 6.4 knows Unicode 14, utf8proc 2.8 knows 15: what was assigned in between is left out.
        int differences = 0;
        for (char32_t character = 1; character < 0x30000; ++character) {
            if (QChar::unicodeVersion(character) == QChar::Unicode_Unassigned || (character >= 0xD800 && character < 0xE000))
                continue;
            const QChar::Category category = QChar::category(character);
            const bool isNumber = category == QChar::Number_DecimalDigit || category == QChar::Number_Letter || category == QChar::Number_Other;
            const bool isEqual = engine::isLetter(character) == QChar::isLetter(character) && engine::isNumber(character) == isNumber
                && (character == 0x130 || engine::lowerCase({&character, 1}) == std::u32string(1, QChar::toLower(character)));
            differences += isEqual ? 0 : 1;
        }
        QCOMPARE(differences, 0);
    }

    void qtAgreesOnComposition_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("accents") << QString::fromUtf8("e\u0301 a\u0323\u0302 A\u030A \u212B");
        QTest::newRow("order of marks") << QString::fromUtf8("a\u0302\u0323 q\u0307\u0323");
        QTest::newRow("Hangul") << QString::fromUtf8("\u1112\u1161\u11AB\u1100\u1173\u11AF");
        QTest::newRow("excluded") << QString::fromUtf8("\u0958 \u2ADC");
    }
    void qtAgreesOnComposition()
    {
        QFETCH(QString, text);
        const auto composed = engine::composed(codePoints(text.toStdString()));
        QCOMPARE(QString::fromStdU32String(composed), text.normalized(QString::NormalizationForm_C));
    }

    void wordsOfClip_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QStringList>("words");
        QTest::newRow("contractions") << QByteArray("I'll don't 'still") << QStringList {"i", "'ll", "don", "'t", "'s", "till"};
        QTest::newRow("numbers one by one") << QByteArray("a12b") << QStringList {"a", "1", "2", "b"};
        QTest::newRow("control token in capitals")
            << QByteArray("<|STARTOFTEXT|>!") << QStringList {"<|", "startoftext", "|>", "!"};
        QTest::newRow("punctuation with quotes") << QByteArray("(''s") << QStringList {"(''", "s"};
    }
    void wordsOfClip()
    {
        QFETCH(QByteArray, text);
        QFETCH(QStringList, words);
        QCOMPARE(wordsOf(engine::clipWordRules(), text), words);
    }

    void wordsOfQwen2_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QStringList>("words");
        QTest::newRow("space belongs to the word") << QByteArray("a  b") << QStringList {"a", " ", " b"};
        QTest::newRow("other space too") << QByteArray("a\tb\u00a0c") << QStringList {"a", "\tb", QString::fromUtf8("\u00a0c")};
        QTest::newRow("newlines stay together") << QByteArray("a \n\n b") << QStringList {"a", " \n\n", " b"};
        QTest::newRow("punctuation takes newlines") << QByteArray("a !?\n\nb") << QStringList {"a", " !?\n\n", "b"};
        QTest::newRow("punctuation before letters") << QByteArray("(ab)") << QStringList {"(ab", ")"};
        QTest::newRow("spaces at the end") << QByteArray("a   ") << QStringList {"a", "   "};
        QTest::newRow("space before a number") << QByteArray("a  12") << QStringList {"a", " ", " ", "1", "2"};
        QTest::newRow("contraction with a long s") << QByteArray("I'\u017fabc") << QStringList {"I", QString::fromUtf8("'\u017f"), "abc"};
        QTest::newRow("contractions of any case") << QByteArray("I'LL we'Re 'tis") << QStringList {"I", "'LL", " we", "'Re", " '", "tis"};
    }
    void wordsOfQwen2()
    {
        QFETCH(QByteArray, text);
        QFETCH(QStringList, words);
        QCOMPARE(wordsOf(engine::qwen2WordRules(), text), words);
    }

    void mergesGoByRankThenFromTheLeft()
    {
        const engine::BytePairs pairs(tablesOf({{"b", "c"}, {"a", "b"}, {"a", "a"}, {"aa", "aa"}}), {}, std::nullopt);
        QCOMPARE(tokensOf(pairs, "abc"), QString("a|bc"));
        QCOMPARE(tokensOf(pairs, "aab"), QString("a|ab"));
        QCOMPARE(tokensOf(pairs, "aaa"), QString("aa|a"));
        QCOMPARE(tokensOf(pairs, "aaaaa"), QString("aaaa|a"));
    }

    void bytesWithoutATokenAreUnknownOrLeftOut()
    {
        engine::BytePairTables tables = tablesOf({{"a", "b"}});
        tables.vocabulary.erase("x");
        const engine::BytePairs silent(tables, {}, std::nullopt);
        Ids ids;
        silent.append("axbxx", ids);
        QCOMPARE(ids, Ids({256}));
        const engine::BytePairs loud(tables, {}, 7);
        ids.clear();
        loud.append("axb", ids);
        QCOMPARE(ids, Ids({'a', 7, 'b'}));
    }

    void longWordsTakeTimeInProportion()
    {
        std::vector<std::pair<std::string, std::string>> merges;
        for (std::string token = "a"; token.size() < 64; token += token)
            merges.emplace_back(token, token);
        const engine::BytePairs pairs(tablesOf(merges), {}, std::nullopt);
        const double before = tests::processorSeconds();
        Ids ids;
        pairs.append(std::string(1 << 18, 'a'), ids);
        QCOMPARE(ids.size(), std::size_t {1 << 12});
        QVERIFY2(tests::processorSeconds() - before < 20, "a quarter of a million bytes: quadratic would be an hour");
    }

    void addedTokensAreMatchedFirstAndLongest()
    {
        const engine::AddedTokenMatcher matcher({{"<a>", 1}, {"<a><b>", 2}, {"<c>", 3, true, false, true, true}, {"", 4}});
        const auto shown = [&](const char* text) {
            const std::u32string given = codePoints(text);
            QStringList parts;
            for (const auto& segment : matcher.split(given))
                parts += segment.token ? QString::number(*segment.token) : QString::fromStdString("'" + utf8(segment.text) + "'");
            return parts.join(' ');
        };
        QCOMPARE(shown("x<a> <a><b><a>y"), QString("'x' 1 ' ' 2 1 'y'"));
        QCOMPARE(shown("x \t<c>\n y"), QString("'x' 3 'y'"));
        QCOMPARE(shown("<a> <c>"), QString("1 3"));
        QCOMPARE(shown("<a"), QString("'<a'"));
        QCOMPARE(shown(""), QString());
    }

    void piecesAreTheLikeliestTogether()
    {
        const engine::Unigram unigram(smallModel());
        QCOMPARE(piecesOf(unigram, "ab"), QString("1 4"));        // -3 -3 over -7, -3 -2 -2
        QCOMPARE(piecesOf(unigram, "  a   b "), QString("1 2 1 3"));
        QCOMPARE(piecesOf(unigram, "zza"), QString("1 0 2"));     // neighbours are unknown together
        QCOMPARE(piecesOf(unigram, "a<x>b"), QString("1 2 6 3"));
        QCOMPARE(piecesOf(unigram, ""), QString());
        QCOMPARE(piecesOf(unigram, " \n\u0085"), QString());       // white space whatever the map says
    }

    void unknownTextBecomesBytes()
    {
        engine::SentencePieceModel model = smallModel();
        model.fallsBackToBytes = true;
        model.pieces.push_back({"<0xC3>", 0, engine::SentencePiece::Kind::Byte});
        model.pieces.push_back({"<0xA9>", 0, engine::SentencePiece::Kind::Byte});
        const engine::Unigram unigram(model);
        QCOMPARE(piecesOf(unigram, "a\u00e9"), QString("1 2 7 8"));
        QCOMPARE(unigram.text({1, 2, 7, 8}), std::string("a\u00e9"));
    }

    void wanCleansPrompts()
    {
        const auto form = engine::wanPrompt(512);
        QVERIFY(form.isCleaned && form.hasAttentionMask);
        QCOMPARE(form.maxTokens, std::int64_t {512});
    }
};

QTEST_GUILESS_MAIN(TokenizersTest)
#include "tst_tokenizers.moc"
