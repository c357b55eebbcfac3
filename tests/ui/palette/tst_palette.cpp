// E10: what the palette finds, and in which order.
#include "tests/ui/support/ui_test_main.h"
#include "ui/palette/palette.h"
#include "ui/base/text_match.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPointer>
#include <QSignalSpy>
#include <QTest>

using Kind = ui::PaletteEntry::Kind;
using ui::PaletteEntry;
using ui::PaletteModel;

namespace {

std::vector<PaletteEntry> entries()
{
    return {{Kind::Action, "run.stop", "Stop", "Finish the current step, write a checkpoint and exit", "Ctrl+."},
        {Kind::Action, "run.stopNow", "Stop now", "Exit within seconds", ""}, {Kind::Action, "run.export", "Export metrics…", "Write every value to a file", ""},
        {Kind::Action, "run.resume", "Resume", "Its supervisor is alive", "", {}, false},
        {Kind::Run, "digits-20261121-100000-aaaa", "digits", "digits-20261121-100000-aaaa · Failed · #lora", ""},
        {Kind::Metric, "validation/loss", "Validation loss", "Draw validation/loss in the plots", ""}, {Kind::Metric, "loss", "Loss", "Draw loss in the plots", ""},
        {Kind::Option, "optim.lr", "Learning rate", "optim.lr: Step size of the optimizer", ""}};
}

QStringList titles(const PaletteModel& model)
{
    QStringList titles;
    for (int row = 0; row < model.rowCount(); ++row)
        titles << model.index(row).data().toString();
    return titles;
}

}  // namespace

class PaletteTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void E10_lettersFindEntries_data()
    {
        QTest::addColumn<QString>("query");
        QTest::addColumn<QStringList>("found");
        QTest::newRow("E10 nothing typed") << "" << QStringList {"Stop", "Stop now", "Export metrics…", "digits", "Validation loss", "Loss", "Learning rate", "Resume"};
        QTest::newRow("E10 the whole name first") << "loss" << QStringList {"Loss", "Validation loss"};
        QTest::newRow("E10 beginning of the text") << "sto" << QStringList {"Stop", "Stop now"};
        QTest::newRow("E10 several words in any order") << "metrics ex" << QStringList {"Export metrics…"};
        QTest::newRow("E10 first letters of words") << "expmet" << QStringList {"Export metrics…"};
        QTest::newRow("E10 the key of an option") << "optim.lr" << QStringList {"Learning rate"};
        QTest::newRow("E10 a tag") << "#lora" << QStringList {};  // only metrics
        QTest::newRow("E10 a detail") << "failed" << QStringList {"digits"};
        QTest::newRow("E10 what an action does") << "exit" << QStringList {"Stop now", "Stop"};
        QTest::newRow("E10 only actions, names first") << "> re" << QStringList {"Resume", "Stop", "Export metrics…"};
        QTest::newRow("E10 only runs") << "@" << QStringList {"digits"};
        QTest::newRow("E10 only metrics") << "#" << QStringList {"Validation loss", "Loss"};
        QTest::newRow("E10 only options") << ":rate" << QStringList {"Learning rate"};
        QTest::newRow("E10 nothing") << "xyzzy" << QStringList {};
    }
    void E10_lettersFindEntries()
    {
        QFETCH(QString, query);
        QFETCH(QStringList, found);
        PaletteModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setEntries(entries());
        model.setQuery(query);
        QCOMPARE(titles(model), found);
    }

    void E10_scoresPreferWordsAndBeginnings()
    {
        const auto score = [](const char* query, const char* text) { return ui::TextMatch(query).score(text).value_or(-1); };
        QVERIFY(score("log", "log") > score("log", "logs"));
        QVERIFY(score("log", "logs") > score("log", "show logs"));
        QVERIFY(score("log", "show logs") > score("log", "catalogue"));
        QVERIFY(score("sl", "show logs") > score("sl", "closely"));
        QCOMPARE(score("aze", "xaxxxxxxxxxxxxzxxxxxxxxxxxxexx"), -1);
        // Letters do for names, not for what is said about them.
        QVERIFY(ui::TextMatch("expmet").score("export metrics").has_value());
        QVERIFY(!ui::TextMatch("expmet").score("x", "export metrics").has_value());
        QVERIFY(ui::TextMatch("  ").isEmpty());
    }

    void E10_onlySoManyAreShown()
    {
        std::vector<PaletteEntry> many;
        for (int run = 0; run < 10'000; ++run)
            many.push_back({Kind::Run, "run-" + QString::number(run), "run " + QString::number(run), "Finished", ""});
        PaletteModel model;
        model.setEntries(many);
        QCOMPARE(model.rowCount(), PaletteModel::kMostRows);
        QCOMPARE(model.matches(), std::size_t(10'000));
        model.setQuery("9999");
        QCOMPARE(titles(model).front(), QStringLiteral("run 9999"));
    }

    void E10_keysChooseAndDo()
    {
        QPointer<ui::Palette> palette = new ui::Palette(nullptr);
        palette->offer(entries());
        palette->show();
        QVERIFY(QTest::qWaitForWindowExposed(palette));
        QSignalSpy chosen(palette, &ui::Palette::chosen);
        QStringList ids;
        connect(palette, &ui::Palette::chosen, this, [&ids](const PaletteEntry& entry) { ids << entry.id; });
        auto* const field = palette->findChild<QLineEdit*>();
        QTest::keyClicks(field, "stop");
        QTest::keyClick(field, Qt::Key_Down);
        QCOMPARE(palette->list().currentIndex().row(), 1);
        QTest::keyClick(field, Qt::Key_Down);
        QCOMPARE(palette->list().currentIndex().row(), 0);  // round and round
        QTest::keyClick(field, Qt::Key_Up);
        QCOMPARE(palette->list().currentIndex().row(), 1);
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(chosen.size(), 1);
        QCOMPARE(ids, QStringList("run.stopNow"));
        QTRY_VERIFY(!palette);
    }

    void E10_whatCannotBeDoneSaysWhy()
    {
        QPointer<ui::Palette> palette = new ui::Palette(nullptr);
        palette->offer(entries());
        palette->show();
        QSignalSpy chosen(palette, &ui::Palette::chosen);
        auto* const field = palette->findChild<QLineEdit*>();
        QTest::keyClicks(field, "resume");
        QCOMPARE(palette->list().currentIndex().data(PaletteModel::DetailRole).toString(), QStringLiteral("Its supervisor is alive"));
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(chosen.size(), 0);
        QTest::keyClicks(field, "xx");
        const auto labels = palette->findChildren<QLabel*>();
        QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) { return label->text() == QLatin1String("Nothing matches."); }));
        QTest::keyClick(field, Qt::Key_Return);
        QTest::keyClick(field, Qt::Key_Escape);
        QTRY_VERIFY(!palette);
        QCOMPARE(chosen.size(), 0);
    }
};

ATELIER_UI_TEST_MAIN(PaletteTest)
#include "tst_palette.moc"
