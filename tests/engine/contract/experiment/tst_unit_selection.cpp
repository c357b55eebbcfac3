#include "engine/contract/experiment/unit_selection.h"

#include <QtTest>

using contract::UnitSelection;

namespace {

const std::vector<std::string> kUnits = {"root", "blocks.0", "blocks.1", "blocks.2", "blocks.10", "head"};

QStringList chosen(const UnitSelection& selection)
{
    QStringList names;
    for (std::size_t i = 0; i < kUnits.size(); ++i) {
        if (selection.contains(i, kUnits[i]))
            names.append(QString::fromStdString(kUnits[i]));
    }
    return names;
}

}  // namespace

class UnitSelectionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void unitsAreChosen_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("names");
        QTest::newRow("E-009 none") << "none" << QStringList();
        QTest::newRow("E-009 all blocks, not the root") << "all" << QStringList {"blocks.0", "blocks.1", "blocks.2", "blocks.10", "head"};
        QTest::newRow("E-009 every second") << " every 2 " << QStringList {"blocks.1", "blocks.10"};
        QTest::newRow("one by name") << "blocks.1" << QStringList {"blocks.1"};
        QTest::newRow("a star") << "blocks.1*" << QStringList {"blocks.1", "blocks.10"};
        QTest::newRow("stars") << "*o*t, *.*0" << QStringList {"root", "blocks.0", "blocks.10"};
        QTest::newRow("the star gives back what it took") << "*.1" << QStringList {"blocks.1"};
        QTest::newRow("the root by name") << "root,head" << QStringList {"root", "head"};
    }
    void unitsAreChosen()
    {
        QFETCH(QString, text);
        const auto selection = UnitSelection::parse(text.toStdString());
        QVERIFY(selection);
        QTEST(chosen(*selection), "names");
    }

    void whatIsNoSelectionIsRefused_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text : {"", " ", "every 0", "every -1", "every two", "blocks.0,", ",", "a b", "blocks.[01]"})
            QTest::newRow(text) << text;
    }
    void whatIsNoSelectionIsRefused()
    {
        QFETCH(QString, text);
        QVERIFY(!UnitSelection::parse(text.toStdString()));
    }

    void namesThatNoUnitHasAreTold()
    {
        QCOMPARE(UnitSelection::parse("blocks.1*, blocks.99, tail*")->unmatched(kUnits),
            std::vector<std::string>({"blocks.99", "tail*"}));
        QVERIFY(UnitSelection::parse("every 50")->unmatched(kUnits).empty());
    }
};

QTEST_GUILESS_MAIN(UnitSelectionTest)
#include "tst_unit_selection.moc"
