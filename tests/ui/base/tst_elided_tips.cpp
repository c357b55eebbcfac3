// M14, "no text cut off": what has no room is said in a tool tip.
#include "tests/ui/support/ui_test_main.h"
#include "ui/base/appearance.h"
#include "ui/access/elided_tips.h"

#include <QComboBox>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QTest>
#include <QToolTip>
#include <QTreeWidget>

namespace {

constexpr char kLong[] = "a sentence that is a good deal longer than the place that it has", kShort[] = "short";

/// The tool tip that the user sees over @p place; empty: none.
QString tipAt(QWidget& widget, const QPoint& place)
{
    QToolTip::hideText();
    QHelpEvent event(QEvent::ToolTip, place, widget.mapToGlobal(place));
    QApplication::sendEvent(&widget, &event);
    return QToolTip::isVisible() ? QToolTip::text() : QString();
}

}  // namespace

class ElidedTipsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        ui::applyAppearance(ui::Appearance::Light);
        qApp->installEventFilter(new ui::ElidedTips(qApp));
    }

    void M14_whatHasNoRoomHasAToolTip_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("isWide");
        QTest::newRow("M14 wider than its place") << QString(kLong) << true;
        QTest::newRow("M14 in sight as a whole") << QString(kShort) << false;
        QTest::newRow("M14 not markup") << "<b>" + QString(kLong) + "</b>" << true;
    }
    void M14_whatHasNoRoomHasAToolTip()
    {
        QFETCH(QString, text);
        QFETCH(bool, isWide);
        QTreeWidget tree;
        tree.setHeaderLabels({text, "more"});
        new QTreeWidgetItem(&tree, {text, kShort});
        QComboBox box;
        box.addItem(text);
        QLineEdit field;
        field.setPlaceholderText(text);
        QLabel label(text);
        label.setTextFormat(Qt::PlainText);
        QLabel word(QString(text).replace(' ', '_').replace('<', '_').replace('>', '_'));
        word.setWordWrap(true);
        for (QWidget* widget : {static_cast<QWidget*>(&tree), static_cast<QWidget*>(&box), static_cast<QWidget*>(&field), static_cast<QWidget*>(&label),
                 static_cast<QWidget*>(&word)}) {
            widget->setMinimumWidth(1);
            widget->resize(150, widget == &tree ? 120 : 30);
            widget->show();
            QVERIFY(QTest::qWaitForWindowExposed(widget));
        }
        tree.header()->resizeSection(0, 130);
        const QString shown = Qt::mightBeRichText(text) ? Qt::convertFromPlainText(text) : text;
        const QString expected = isWide ? shown : QString();
        QCOMPARE(tipAt(*tree.viewport(), tree.visualItemRect(tree.topLevelItem(0)).center()), expected);
        QCOMPARE(tipAt(*tree.header()->viewport(), QPoint(20, 5)), expected);
        QCOMPARE(tipAt(box, QPoint(5, 5)), expected);
        QCOMPARE(tipAt(field, QPoint(5, 5)), expected);
        QCOMPARE(tipAt(label, QPoint(5, 5)), expected);
        QCOMPARE(tipAt(word, QPoint(5, 5)), isWide ? word.text() : QString());
        // One of its own comes first.
        tree.topLevelItem(0)->setToolTip(0, "own");
        box.setToolTip("own");
        QCOMPARE(tipAt(*tree.viewport(), tree.visualItemRect(tree.topLevelItem(0)).center()), QString("own"));
        QCOMPARE(tipAt(box, QPoint(5, 5)), QString("own"));
        QToolTip::hideText();
    }

    void M14_aFieldWithATextHasNone()
    {
        QLineEdit field(kLong);
        field.setPlaceholderText(kLong);
        field.resize(100, 30);
        field.show();
        QVERIFY(QTest::qWaitForWindowExposed(&field));
        QCOMPARE(tipAt(field, QPoint(5, 5)), QString());
    }
};

ATELIER_UI_TEST_MAIN(ElidedTipsTest)
#include "tst_elided_tips.moc"
