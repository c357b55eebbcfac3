#include "engine/contract/formats/name_pattern.h"

#include <QtTest>

class NamePatternTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void commasDivide_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QStringList>("patterns");
        QTest::newRow("none") << QByteArray("") << QStringList {};
        QTest::newRow("one") << QByteArray("a.b") << QStringList {"a.b"};
        QTest::newRow("spaces around") << QByteArray("  a b ,c  ") << QStringList {"a b", "c"};
        QTest::newRow("a comma too many") << QByteArray("a,, ") << QStringList {"a", "", ""};
    }
    void commasDivide()
    {
        QFETCH(QByteArray, text);
        QStringList found;
        for (const std::string_view pattern : contract::namePatterns({text.constData(), static_cast<std::size_t>(text.size())}))
            found << QString::fromUtf8(pattern.data(), static_cast<qsizetype>(pattern.size()));
        QTEST(found, "patterns");
    }

    void starsStandForAnything_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("pattern");
        QTest::addColumn<bool>("fits");
        const auto row = [](const char* name, const char* pattern, bool fits) {
            QTest::addRow("%s %s", name, pattern) << QByteArray(name) << QByteArray(pattern) << fits;
        };
        row("blocks.1", "blocks.1", true);
        row("blocks.11", "blocks.1", false);
        row("blocks.1", "blocks.11", false);
        row("blocks.11", "blocks.1*", true);
        row("blocks.1", "blocks.1*", true);
        row("blocks.1.qkv.weight", "blocks.*.qkv.*", true);
        row("blocks.1.proj.weight", "blocks.*.qkv.*", false);
        row("final.bias", "*.bias", true);
        row("final.bias.x", "*.bias", false);
        row("bias.bias", "*bias", true);
        row("x", "**", true);
        row("", "*", true);
        row("", "", true);
        row("x", "", false);
    }
    void starsStandForAnything()
    {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, pattern);
        QTEST(contract::matchesPattern(name.toStdString(), pattern.toStdString()), "fits");
    }
};

QTEST_APPLESS_MAIN(NamePatternTest)
#include "tst_name_pattern.moc"
