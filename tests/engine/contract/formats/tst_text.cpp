#include "engine/contract/formats/text.h"

#include <QtTest>

#include <clocale>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <new>
#include <random>
#include <stdexcept>

namespace {

std::uint64_t bitsOf(double value)
{
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

double fromBits(std::uint64_t bits)
{
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

}  // namespace

class TextTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void numbersReadBackBitForBit_data()
    {
        using Limits = std::numeric_limits<double>;
        QTest::addColumn<double>("value");
        QTest::newRow("zero") << 0.0;
        QTest::newRow("negative zero") << -0.0;
        QTest::newRow("a third") << 1.0 / 3;
        QTest::newRow("smallest denormal") << Limits::denorm_min();
        QTest::newRow("largest denormal") << std::nextafter(Limits::min(), 0.0);
        QTest::newRow("smallest normal") << Limits::min();
        QTest::newRow("largest") << Limits::max();
        QTest::newRow("lowest") << Limits::lowest();
        QTest::newRow("beyond exact integers") << 9007199254740993.0;
        QTest::newRow("infinity") << Limits::infinity();
        QTest::newRow("negative infinity") << -Limits::infinity();
    }
    void numbersReadBackBitForBit()
    {
        QFETCH(double, value);
        const auto read = contract::parseReal(contract::shortestText(value));
        QVERIFY(read);
        QCOMPARE(bitsOf(*read), bitsOf(value));
    }

    void randomBitPatternsReadBack()
    {
        std::mt19937_64 random(1);
        for (int i = 0; i < 100000; ++i) {
            const double value = fromBits(random());
            const auto read = contract::parseReal(contract::shortestText(value));
            QVERIFY(read);
            if (std::isnan(value))
                QVERIFY(std::isnan(*read));
            else
                QCOMPARE(bitsOf(*read), bitsOf(value));
        }
    }

    void textIsTheShortestThatReadsBack()
    {
        QCOMPARE(contract::shortestText(0.1), "0.1");
        QCOMPARE(contract::shortestText(0.001), "0.001");
        QCOMPARE(contract::shortestText(1e300), "1e+300");
        QCOMPARE(contract::shortestText(5e-324), "5e-324");
        QCOMPARE(contract::shortestText(std::nan("")), "NaN");
    }

    void whatIsNoNumberIsRejected_data()
    {
        QTest::addColumn<QByteArray>("text");
        for (const char* text : {"", " 1", "1 ", "1,5", "0x10", "nan", "inf", "infinity", "1e999", "-", ".",
                 "1.2.3", "--1", "+1", "Infinity ", "1e"})
            QTest::newRow(*text ? text : "empty") << QByteArray(text);
        QTest::newRow("null byte") << QByteArray("1\0", 2);
    }
    void whatIsNoNumberIsRejected()
    {
        QFETCH(QByteArray, text);
        const std::string_view view(text.constData(), static_cast<std::size_t>(text.size()));
        QVERIFY(!contract::parseReal(view));
        QVERIFY(!contract::parseInteger(view));
    }

    void distanceCountsSlips_data()
    {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<int>("slips");
        QTest::newRow("none") << QByteArray("run") << QByteArray("run") << 0;
        QTest::newRow("to nothing") << QByteArray("run") << QByteArray("") << 3;
        QTest::newRow("Levenshtein's own") << QByteArray("kitten") << QByteArray("sitting") << 3;
        QTest::newRow("one left out") << QByteArray("rsume") << QByteArray("resume") << 1;
    }
    void distanceCountsSlips()
    {
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QTEST(static_cast<int>(contract::editDistance(from.toStdString(), to.toStdString())), "slips");
        QTEST(static_cast<int>(contract::editDistance(to.toStdString(), from.toStdString())), "slips");
    }

    void integersKeepTheirWholeRange()
    {
        using Limits = std::numeric_limits<std::int64_t>;
        QCOMPARE(contract::parseInteger("9223372036854775807").value(), Limits::max());
        QCOMPARE(contract::parseInteger("-9223372036854775808").value(), Limits::min());
        QVERIFY(!contract::parseInteger("9223372036854775808"));
        QVERIFY(!contract::parseInteger("1.0"));
    }

    void localeDoesNotMatter()
    {
        // If no locale with a decimal comma is installed, this test passes without checking anything.
        std::setlocale(LC_NUMERIC, "de_DE.UTF-8");
        QCOMPARE(contract::shortestText(0.5), "0.5");
        QCOMPARE(contract::parseReal("0.5").value(), 0.5);
        std::setlocale(LC_NUMERIC, "C");
    }

    void jsonStringsAreQuotedAndValid_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("json");
        QTest::newRow("plain") << QByteArray("loss") << QByteArray("\"loss\"");
        QTest::newRow("quote") << QByteArray("a\"b\\") << QByteArray("\"a\\\"b\\\\\"");
        QTest::newRow("newline") << QByteArray("a\nb") << QByteArray("\"a\\nb\"");
        QTest::newRow("control") << QByteArray("\x01") << QByteArray("\"\\u0001\"");
        QTest::newRow("no UTF-8") << QByteArray("a\xff") << QByteArray("\"a\xEF\xBF\xBD\"");
        QTest::newRow("fuzz: DEL") << QByteArray("a\x7f") << QByteArray("\"a\\u007F\"");
    }
    void jsonStringsAreQuotedAndValid()
    {
        QFETCH(QByteArray, text);
        std::string out = "x";
        contract::appendJsonString(out, text.toStdString());
        QTEST(QByteArray::fromStdString(out.substr(1)), "json");
    }

    void bytesThatAreNotTextAreEscaped_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("shown");
        QTest::newRow("defect-32: plain") << QByteArray("a \xC3\xBC \xE2\x82\xAC \xF0\x9F\x98\x80") << QByteArray("a \xC3\xBC \xE2\x82\xAC \xF0\x9F\x98\x80");
        QTest::newRow("defect-32: no UTF-8") << QByteArray("a\xFF" "b") << QByteArray("a\\xffb");
        QTest::newRow("defect-32: Latin-1") << QByteArray("gr\xFC\xDF") << QByteArray("gr\\xfc\\xdf");
        QTest::newRow("defect-32: cut") << QByteArray("\xE2\x82") << QByteArray("\\xe2\\x82");
        QTest::newRow("defect-32: overlong") << QByteArray("\xC0\x80") << QByteArray("\\xc0\\x80");
        QTest::newRow("fuzz: control characters") << QByteArray("f\0\n\x1b[2J\x7f", 8) << QByteArray("f\\x00\\x0a\\x1b[2J\\x7f");
        QTest::newRow("defect-32: surrogate") << QByteArray("\xED\xA0\x80") << QByteArray("\\xed\\xa0\\x80");
    }
    void bytesThatAreNotTextAreEscaped()
    {
        QFETCH(QByteArray, text);
        QTEST(QByteArray::fromStdString(contract::escapedBytes(text.toStdString())), "shown");
    }

    void errorsAreSaidWithoutTheWordsOfALibrary_defect_32()
    {
        try {
            std::filesystem::rename("/nowhere/a", "/nowhere/b");
            QFAIL("no error");
        } catch (const std::exception& error) {
            QCOMPARE(contract::sentenceOf(error), std::string("/nowhere/a: No such file or directory"));
        }
        QCOMPARE(contract::sentenceOf(std::bad_alloc()), std::string("there is not enough memory"));
        QCOMPARE(contract::sentenceOf(std::runtime_error("a: is damaged")), std::string("a: is damaged"));
    }

    void longTextsAreCutBetweenCharacters_defect_32()
    {
        QCOMPARE(contract::shortened("short"), std::string("short"));
        QCOMPARE(contract::shortened("abcdef", 3), std::string("abc…"));
        QCOMPARE(contract::shortened("ab\xE2\x82\xAC" "def", 4), std::string("ab…"));
        QCOMPARE(contract::shortened(std::string(100'000, 'x')).size(), std::size_t {203});
    }
};

QTEST_APPLESS_MAIN(TextTest)
#include "tst_text.moc"
