// M14: every state of a view.
#include "tests/ui/support/ui_test_main.h"
#include "ui/base/state_strip.h"

#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>

using ui::ViewState;

class ViewFrameTest : public QObject {
    Q_OBJECT

private:
    QLineEdit* m_content = nullptr;
    std::unique_ptr<ui::ViewFrame> m_frame;

    QPushButton* button(const QString& text) const
    {
        for (QPushButton* candidate : m_frame->findChildren<QPushButton*>()) {
            if (candidate->text() == text && candidate->isVisible())
                return candidate;
        }
        return nullptr;
    }

private Q_SLOTS:
    void init()
    {
        m_content = new QLineEdit(QStringLiteral("content"));
        m_frame = std::make_unique<ui::ViewFrame>(m_content);
        m_frame->resize(500, 300);
        m_frame->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_frame.get()));
    }

    void m14_readyShowsTheContentAlone()
    {
        QVERIFY(m_content->isVisible());
        QVERIFY(!m_frame->findChild<QProgressBar*>()->isVisible());
        QVERIFY(!m_frame->findChild<QWidget*>("errorStrip")->isVisible());
    }

    void m14_emptyOffersTheNextAction()
    {
        int pressed = 0;
        ViewState state;
        state.emptySentence = QStringLiteral("No runs yet.");
        state.emptyActions = {{QStringLiteral("New experiment"), [&] { ++pressed; }}};
        m_frame->setState(state);
        QVERIFY(!m_content->isVisible());
        QCOMPARE(m_frame->findChild<QLabel*>("emptySentence")->text(), QStringLiteral("No runs yet."));
        QTRY_VERIFY(button("New experiment"));
        button("New experiment")->click();
        QCOMPARE(pressed, 1);
        m_frame->setState({});
        QVERIFY(m_content->isVisible());
    }

    void m14_loadingShowsABarLaterOverTheOldContent()
    {
        auto* bar = m_frame->findChild<QProgressBar*>("loadingBar");
        ViewState state;
        state.isLoading = true;
        m_frame->setState(state);
        QVERIFY(!bar->isVisible());
        QTRY_VERIFY(bar->isVisible());
        QVERIFY(m_content->isVisible());
        m_frame->setState({});
        QVERIFY(!bar->isVisible());
    }

    void m14_aLongLoadCanBeCancelled()
    {
        bool isCancelled = false;
        ViewState state;
        state.isLoading = true;
        state.cancel = [&] { isCancelled = true; };
        m_frame->setState(state);
        QTRY_VERIFY(button("Cancel"));
        button("Cancel")->click();
        QVERIFY(isCancelled);
    }

    void m14_anErrorIsAStripThatLeavesTheContent()
    {
        int retries = 0;
        ViewState state;
        state.error = ui::ViewError {QStringLiteral("The index is damaged."), QStringLiteral("page 7"),
            QStringLiteral("/tmp"), {{QStringLiteral("Retry"), [&] { ++retries; }}}};
        m_frame->setState(state);
        QVERIFY(m_content->isVisible());
        QVERIFY(m_frame->findChild<QWidget*>("errorStrip")->isVisible());
        QTRY_VERIFY(button("Details"));
        QVERIFY(button("Open folder"));
        button("Retry")->click();
        QCOMPARE(retries, 1);
        // The strips are in the layout and do not cover the content.
        const QRect strip = m_frame->findChild<QWidget*>("errorStrip")->geometry();
        QVERIFY(!strip.intersects(QRect(m_content->mapTo(m_frame.get(), QPoint()), m_content->size())));
    }

    void m14_staleAndCutOffStandBesideTheContent()
    {
        ViewState state;
        state.stale = QStringLiteral("Last record 14 s ago");
        state.cutOff = QStringLiteral("This run belongs to another machine.");
        m_frame->setState(state);
        QVERIFY(m_content->isVisible());
        QCOMPARE(m_frame->findChild<QLabel*>("staleText")->text(), state.stale);
        QVERIFY(m_frame->findChild<QWidget*>("cutOffBanner")->isVisible());
        m_frame->setState({});
        QVERIFY(!m_frame->findChild<QWidget*>("cutOffBanner")->isVisible());
    }

    void M14_aLowViewCutsNoSentenceOff()
    {
        m_frame->setFixedSize(300, 140);
        ViewState state;
        state.error = ui::ViewError {QStringLiteral("The curves could not be read: the index is damaged. Rebuild it from the folders of the runs."), {}, {},
            {{QStringLiteral("Retry"), [] { }}}};
        state.emptySentence = QStringLiteral("No run is drawn. Click the eye of a run in the list to see its curves here.");
        state.emptyActions = {{QStringLiteral("New experiment"), [] { }}};
        m_frame->setState(state);
        const auto isWhole = [](const QLabel* label) { return label->isVisible() && label->height() >= label->heightForWidth(label->width()); };
        QTRY_VERIFY(isWhole(m_frame->findChild<QWidget*>("errorStrip")->findChild<QLabel*>()));
        QTRY_VERIFY(isWhole(m_frame->findChild<QLabel*>("emptySentence")));  // it scrolls
        QTRY_VERIFY(m_frame->findChild<QWidget*>("emptyPage")->height() > m_frame->findChild<QWidget*>("emptyPage")->parentWidget()->height());
    }

    /// Setting the same state again while the user types in the content must not take the focus away.
    void repeatedStatesKeepTheFocus()
    {
        m_content->setFocus();
        ViewState state;
        state.error = ui::ViewError {QStringLiteral("Something"), {}, {}, {}};
        m_frame->setState(state);
        m_frame->setState(state);
        QCOMPARE(m_frame->focusWidget(), m_content);
    }
};

ATELIER_UI_TEST_MAIN(ViewFrameTest)
#include "tst_view_frame.moc"
