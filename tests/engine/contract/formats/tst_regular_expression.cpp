#include "engine/contract/formats/regular_expression.h"
#include "tests/support/processor_time.h"

#include <QRandomGenerator>
#include <QRegularExpression>
#include <QtTest>

#include <functional>

using contract::RegularExpression;

namespace {

QByteArray errorOf(const std::function<void()>& work)
{
    try {
        work();
        return {};
    } catch (const std::runtime_error& error) {
        return error.what();
    }
}

/// A random expression over a and b.
QByteArray randomExpression(QRandomGenerator& random, int depth)
{
    const auto part = [&] { return randomExpression(random, depth - 1); };
    switch (depth > 0 ? random.bounded(10) : random.bounded(3)) {
    case 0:
        return "a";
    case 1:
        return "b";
    case 2:
        return ".";
    case 3:
        return "(" + part() + ")*";
    case 4:
        return "(?:" + part() + ")+?";
    case 5:
        return "(" + part() + "|" + part() + ")";
    case 6:
        return "(" + part() + "){1,3}";
    case 7:
        return "(?=" + part() + ")" + part();
    case 8:
        return "(?!" + part() + ")" + part();
    default:
        return part() + part();
    }
}

}  // namespace

class RegularExpressionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void wholeTextsAreMatched_data()
    {
        QTest::addColumn<QByteArray>("pattern");
        QTest::addColumn<QByteArray>("matched");
        QTest::addColumn<QByteArray>("notMatched");
        const auto row = [](const char* name, const char* pattern, const char* matched, const char* notMatched) {
            QTest::newRow(name) << QByteArray(pattern) << QByteArray(matched) << QByteArray(notMatched);
        };
        row("plain", "to_q", "to_q", "to_q.");
        row("not a part", "to_q", "to_q", "attn.to_q");
        row("point", "a.c", "abc", "ac");
        row("escaped point", "a\\.c", "a.c", "abc");
        row("any number", "a*", "", "b");
        row("at least one", "a+", "aaa", "");
        row("one or none", "ab?c", "ac", "abbc");
        row("count", "a{2}", "aa", "a");
        row("count from", "a{2,}", "aaaa", "a");
        row("count from to", "a{2,3}", "aaa", "aaaa");
        row("lazy", "a*?b", "aab", "aa");
        row("alternatives", "(to_q|to_k|to_v)", "to_k", "to_");
        row("empty alternative", "a(b|)", "a", "ac");
        row("group without capture", "(?:ab)+", "abab", "aba");
        row("named group", "(?P<layer>[0-9]+)", "12", "1a");
        row("class", "[a-c_]+", "cab_", "d");
        row("opposite class", "[^a-c]", "d", "a");
        row("bracket in a class", "[]a]", "]", "b");
        row("minus in a class", "[a-]", "-", "b");
        row("digits", "blocks\\.\\d{1,2}\\.attn", "blocks.17.attn", "blocks.170.attn");
        row("digits in a class", "[\\d.]+", "1.5", "1,5");
        row("words and spaces", "\\w+\\s\\w+", "a_1 b", "a-1 b");
        row("no digit", "\\D+", "ab", "a1");
        row("edge of a word", "a\\b.*", "a.b", "ab");
        row("anchors", "^a$", "a", "ab");
        row("anchor within", "(^a|b)c", "ac", "aac");
        row("ahead", "(?=.*attn)blocks.*", "blocks.0.attn.q", "blocks.0.ff");
        row("not ahead", "(?!.*context).*to_q", "attn.to_q", "context.to_q");
        row("not ahead, in the middle", "a(?!b).", "ac", "ab");
        row("PEFT's first of all but", "(?!proj_out$).*", "proj_out2", "proj_out");
        row("beyond ASCII", "\xC3\xBC+", "\xC3\xBC", "u");
        row("loops of nothing", "(a*)*", "aa", "b");
    }
    void wholeTextsAreMatched()
    {
        QFETCH(QByteArray, pattern);
        QFETCH(QByteArray, matched);
        QFETCH(QByteArray, notMatched);
        const RegularExpression expression(pattern.toStdString());
        QVERIFY(expression.matches(matched.toStdString()));
        QVERIFY(!expression.matches(notMatched.toStdString()));
    }

    void randomExpressionsMatchAsPcreSays()
    {
        QRandomGenerator random(1);
        for (int i = 0; i < 500; ++i) {
            const QByteArray pattern = randomExpression(random, 4);
            const RegularExpression ours(pattern.toStdString());
            const QRegularExpression theirs(QRegularExpression::anchoredPattern(QString::fromLatin1(pattern)));
            QVERIFY(theirs.isValid());
            for (int length = 0; length < 6; ++length) {
                QByteArray text;
                for (int at = 0; at < length; ++at)
                    text += random.bounded(2) ? 'a' : 'b';
                const auto expected = theirs.match(QString::fromLatin1(text));
                QVERIFY2(ours.matches(text.toStdString()) == expected.hasMatch(), pattern + " with " + text);
            }
        }
    }

    void whatOthersTakeForEverEndsAtOnce_data()
    {
        QTest::addColumn<QByteArray>("pattern");
        QTest::newRow("defect-31: nested stars") << QByteArray("(.*)*x");
        QTest::newRow("defect-31: nested plus") << QByteArray("(a+)+b");
        QTest::newRow("defect-31: same alternatives") << QByteArray("(a|a|a|a)*b");
        QTest::newRow("defect-31: many that may be missing") << QByteArray("a?").repeated(60) + QByteArray("a").repeated(61) + "b";
        QTest::newRow("defect-31: look-ahead in look-ahead") << QByteArray("(?=.*").repeated(20) + "x" + QByteArray(")").repeated(20) + ".*";
        QTest::newRow("defect-31: counts in counts") << QByteArray("((a{0,9}){0,9}){0,9}b");
    }
    void whatOthersTakeForEverEndsAtOnce()
    {
        QFETCH(QByteArray, pattern);
        const double before = tests::processorSeconds();
        const RegularExpression expression(pattern.toStdString());
        for (int i = 0; i < 10; ++i)
            QVERIFY(!expression.matches(std::string(60, 'a')));
        QVERIFY2(tests::processorSeconds() - before < 5, qPrintable(QString::number(tests::processorSeconds() - before)));
    }

    void longTextsAreMatched_data()
    {
        QTest::addColumn<QByteArray>("pattern");
        QTest::addColumn<bool>("isGivenUp");
        QTest::newRow("defect-31: the largest expression without look-ahead") << QByteArray(".*.*.*(a?){450}(.|b)*") << false;
        QTest::newRow("defect-31: one look-ahead") << QByteArray("(?!.*context).*a") << false;
        QTest::newRow("defect-31: look-ahead at each place") << QByteArray("((?=.*a$).)*") << true;
    }
    void longTextsAreMatched()
    {
        QFETCH(QByteArray, pattern);
        QFETCH(bool, isGivenUp);
        const RegularExpression expression(pattern.toStdString());
        bool isMatched = false;
        const double before = tests::processorSeconds();
        const QByteArray found = errorOf([&] { isMatched = expression.matches(std::string(10'000, 'a')); });
        QVERIFY2(tests::processorSeconds() - before < 30, qPrintable(QString::number(tests::processorSeconds() - before)));
        QCOMPARE(found, isGivenUp ? QByteArray("takes too long to match a text of 10000 bytes, because of its look-ahead") : QByteArray());
        QCOMPARE(isMatched, !isGivenUp);
    }

    void whatIsNotSupportedIsSaid_data()
    {
        QTest::addColumn<QByteArray>("pattern");
        QTest::addColumn<QByteArray>("error");
        const auto row = [](const char* name, const QByteArray& pattern, const char* error) { QTest::newRow(name) << pattern << QByteArray(error); };
        row("open group", "a(b", "a ( without a )");
        row("closed group", "a)b", "a ) without a (");
        row("open class", "[ab", "a [ without a ]");
        row("nothing to repeat", "*a", "repeats nothing");
        row("nothing to repeat in a group", "(|+)", "repeats nothing");
        row("two repetitions", "a**", "two repetitions in a row");
        row("count without end", "a{2", "number of repetitions");
        row("count backwards", "a{3,2}", "number of repetitions");
        row("no count", "a{}", "number of repetitions");
        row("range backwards", "[b-a]", "range in []");
        row("backslash at the end", "a\\", "ends with a \\");
        row("back-reference", "(a)\\1", "has \\1, which is not supported");
        row("look-behind", "(?<=a)b", "not supported here, such as a look-behind");
        row("look-behind that must not be", "(?<!a)b", "not supported here");
        row("flags", "(?i)a", "not supported here");
        row("defect-31: long", QByteArray(1001, 'a'), "is too long");
        row("defect-31: large count", "a{100000000}", "too many repetitions");
        row("defect-31: large in steps", "((((a{99}){99}){99}){99}){99}", "too many repetitions");
        row("defect-31: large of nothing", "(((((){99}){99}){99}){99}){99}", "too many repetitions");
        row("defect-31: deep", QByteArray(200, '(') + QByteArray(200, ')'), "nested too deeply");
    }
    void whatIsNotSupportedIsSaid()
    {
        QFETCH(QByteArray, pattern);
        QFETCH(QByteArray, error);
        const QByteArray found = errorOf([&] { RegularExpression(pattern.toStdString()); });
        QVERIFY2(found.contains(error), found);
    }
};

QTEST_APPLESS_MAIN(RegularExpressionTest)
#include "tst_regular_expression.moc"
