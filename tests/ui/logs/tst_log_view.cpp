// E11: the log is read and moved through by keys alone, and a screen reader is told each line.
#include "tests/ui/support/ui_test_main.h"
#include "ui/logs/log_model.h"
#include "ui/logs/log_view.h"

#include <QAccessible>
#include <QFile>
#include <QLineEdit>
#include <QTemporaryDir>
#include <QVBoxLayout>

class LogViewTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ui::LogModel> m_model;
    std::unique_ptr<QWidget> m_window;
    QLineEdit* m_field = nullptr;
    ui::LogView* m_view = nullptr;

    /// @param first the second at which the first line was written
    std::string write(const char* name, int first, int lines) const
    {
        QFile file(m_folder->filePath(QLatin1String(name)));
        if (!file.open(QIODevice::Append))
            qFatal("%s cannot be written", name);
        for (int i = 0; i < lines; ++i)
            file.write(QStringLiteral("2026-11-21 10:15:%1.000 [%2] line %3 of %4\n")
                           .arg(first + 2 * i, 2, 10, QLatin1Char('0')).arg(i % 2 ? "warning" : "info").arg(i).arg(QLatin1String(name)).toUtf8());
        return file.fileName().toStdString();
    }

    QString nameOf(const QAccessibleInterface* face) const { return face ? face->text(QAccessible::Name) : QString(); }
    /// The line of which a screen reader is told that it has the focus.
    QString focused() const { return nameOf(QAccessible::queryAccessibleInterface(m_view)->focusChild()); }

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_model = std::make_unique<ui::LogModel>();
        m_window = std::make_unique<QWidget>();
        auto* layout = new QVBoxLayout(m_window.get());
        m_field = new QLineEdit;
        m_view = new ui::LogView(*m_model);
        layout->addWidget(m_field);
        layout->addWidget(m_view);
        m_window->resize(800, 400);
        m_window->show();
        m_model->setFiles({write("rank-0.log", 0, 20), write("rank-1.log", 1, 20)});
        m_view->setFileNames({"rank 0", "rank 1"});
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        QTRY_COMPARE(m_model->count(), 40);
        for (qsizetype row = 0; row < 40; ++row)
            QTRY_VERIFY(m_model->line(row));
    }

    void cleanup()
    {
        m_window.reset();
        m_model.reset();
    }

    void E11_theLinesInSightAreAList()
    {
        QAccessibleInterface* const list = QAccessible::queryAccessibleInterface(m_view);
        QCOMPARE(list->role(), QAccessible::List);
        QVERIFY(list->childCount() > 5 && list->childCount() < 40);
        m_view->showRow(3);
        QAccessibleInterface* const line = list->child(int(3 - m_view->linesInSight().first));
        QCOMPARE(line->role(), QAccessible::ListItem);
        QVERIFY2(nameOf(line).startsWith("rank 1: ") && nameOf(line).endsWith("[warning] line 1 of rank-1.log"), qPrintable(nameOf(line)));
        const QString said = line->text(QAccessible::Description);
        QVERIFY2(said.startsWith("Warning, rank 1, ") && said.contains("2026"), qPrintable(said));
        QVERIFY(line->state().selected && !line->state().offscreen);
        QCOMPARE(line->parent(), list);
        QCOMPARE(list->indexOfChild(line), int(3 - m_view->linesInSight().first));
        QCOMPARE(list->childAt(line->rect().center().x(), line->rect().center().y()), line);
        // The same line has the same interface, and none when the log has gone.
        QCOMPARE(list->child(int(3 - m_view->linesInSight().first)), line);
        m_model->setFiles({});
        QTRY_COMPARE(m_model->count(), 0);
        QVERIFY(!line->isValid());
        QCOMPARE(nameOf(line), QString());
    }

    void E11_theArrowsMoveTheCurrentLineAndItHasTheFocus()
    {
        m_field->setFocus();
        QVERIFY(m_view->isFollowing());
        QTest::keyClick(m_field, Qt::Key_Tab);
        QVERIFY(m_view->hasFocus());
        QCOMPARE(m_view->currentRow(), 39);  // while following, the last
        QVERIFY2(focused().endsWith("line 19 of rank-1.log"), qPrintable(focused()));
        QTest::keyClick(m_view, Qt::Key_Up);
        QCOMPARE(m_view->currentRow(), 38);
        QVERIFY(focused().endsWith("line 19 of rank-0.log"));
        QTest::keyClick(m_view, Qt::Key_Home);
        QVERIFY(focused().endsWith("line 0 of rank-0.log"));
        QVERIFY(!m_view->isFollowing());
        QVERIFY(QAccessible::queryAccessibleInterface(m_view)->child(0)->state().focused);
        QTest::keyClick(m_view, Qt::Key_PageDown);
        QVERIFY(m_view->currentRow() > 1);
        QTest::keyClick(m_view, Qt::Key_End);
        QVERIFY(m_view->isFollowing());
        // Tab leaves the log, by which it was reached.
        QTest::keyClick(m_view, Qt::Key_Backtab);
        QVERIFY(m_field->hasFocus());
        QCOMPARE(focused(), QString());
    }

    void E11_theCurrentLineIsSeenToHaveTheFocus()
    {
        m_view->setFocus(Qt::TabFocusReason);
        const QImage with = m_view->viewport()->grab().toImage();
        m_field->setFocus();
        QVERIFY(m_view->viewport()->grab().toImage() != with);
    }

    void E11_theNextLine()
    {
        m_view->showRow(38);
        m_view->step(1);
        QCOMPARE(m_view->currentRow(), 39);
        m_view->step(1);
        QCOMPARE(m_view->currentRow(), 0);
        m_view->step(-1);
        QCOMPARE(m_view->currentRow(), 39);
    }
};

ATELIER_UI_TEST_MAIN(LogViewTest)
#include "tst_log_view.moc"
