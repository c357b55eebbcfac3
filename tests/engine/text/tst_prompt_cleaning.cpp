// Prompts as Wan's pipeline cleans them: the expected texts are those of Python's html.unescape and of ftfy.
#include "engine/text/html_references.h"
#include "engine/text/prompt_cleaning.h"
#include "engine/text/unicode.h"

#include <QtTest>

class PromptCleaningTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void referencesBecomeCharacters_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        QTest::newRow("names") << "a &lt;b&gt; &amp; &quot;c&quot; &eacute;&hellip;&lang;" << QString::fromUtf8("a <b> & \"c\" é…\u27E8");
        QTest::newRow("names without a semicolon") << "fish&amp chips, caf&eacute, &notit; &copyright" << QString::fromUtf8("fish& chips, café, ¬it; ©right");
        QTest::newRow("names that need one") << "&hellip &apos &alpha" << "&hellip &apos &alpha";
        QTest::newRow("capital letters count") << "&AMP;&Amp;&COPY&Eacute;" << QString::fromUtf8("&&Amp;©É");
        QTest::newRow("numbers") << "&#39;&#x2019;&#X41;&#65 &#128512;" << QString::fromUtf8("'\u2019AA 😀");
        QTest::newRow("numbers of Windows") << "&#150;&#x80;" << QString::fromUtf8("\u2013\u20AC");
        QTest::newRow("numbers of no character") << "[&#0;][&#xD800;][&#x110000;][&#99999999999999999999;][&#1;][&#xFFFE;]"
                                                 << QString::fromUtf8("[\uFFFD][\uFFFD][\uFFFD][\uFFFD][][]");
        QTest::newRow("what is none") << "R&D, a & b, &;, &#;, &#x;, &unknown; &" << "R&D, a & b, &;, &#;, &#x;, &unknown; &";
    }
    void referencesBecomeCharacters()
    {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        QCOMPARE(QString::fromStdU32String(engine::replaceHtmlReferences(text.toStdU32String())), expected);
    }

    void promptsAreCleaned_data()
    {
        QTest::addColumn<QString>("prompt");
        QTest::addColumn<QString>("expected");
        QTest::newRow("white space") << QString::fromUtf8("  a\tred \n\n cube\u00A0 on\u3000ice ") << "a red cube on ice";
        QTest::newRow("twice") << "salt &amp;amp; pepper &amp;lt;3" << "salt & pepper <3";
        QTest::newRow("quotes") << QString::fromUtf8("a sign: “it’s ‘open’”") << "a sign: \"it's 'open'\"";
        QTest::newRow("ligatures and widths") << QString::fromUtf8("\uFB01sh \uFB04, ＡＢＣ！") << "fish ffl, ABC!";
        QTest::newRow("control characters") << QString("a\u0001b\uFEFFc\u007Fd") << "abcd";
        QTest::newRow("composed") << QString::fromUtf8("cafe\u0301") << QString::fromUtf8("café");
        QTest::newRow("white space by reference") << "&nbsp;a&#32;&#10;b&nbsp;" << "a b";
        QTest::newRow("nothing") << " \n" << "";
        QTest::newRow("what needs no cleaning") << QString::fromUtf8("ein Haus, 日本 😀 — 5 € <3") << QString::fromUtf8("ein Haus, 日本 😀 — 5 € <3");
    }
    void promptsAreCleaned()
    {
        QFETCH(QString, prompt);
        QFETCH(QString, expected);
        QCOMPARE(QString::fromStdString(engine::cleanedPrompt(prompt.toStdString())), expected);
    }
};

QTEST_APPLESS_MAIN(PromptCleaningTest)
#include "tst_prompt_cleaning.moc"
