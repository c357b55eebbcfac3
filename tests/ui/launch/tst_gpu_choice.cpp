// M3, M4: GPUs are chosen by tick boxes, and findings of the preflight have buttons that mend them.
#include "tests/launcher/fakes/fake_gpus.h"
#include "tests/paths.h"
#include "tests/ui/support/test_home.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/launch/draft.h"
#include "ui/launch/gpu_choice.h"
#include "ui/launch/launch_window.h"
#include "ui/launch/option_field.h"
#include "ui/launch/option_form.h"
#include "ui/launch/preflight_list.h"

#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTreeWidget>

#include <unistd.h>

#include <memory>
#include <thread>

class GpuChoiceTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<FakeGpus> m_gpus;
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<ui::RunControl> m_control;
    std::unique_ptr<ui::Settings> m_settings;
    std::unique_ptr<ui::LaunchWindow> m_window;

    ui::Draft& draft() { return m_window->draft(); }
    ui::GpuChoice& choice() { return *m_window->findChild<ui::GpuChoice*>(); }
    QTreeWidget& tree() { return *m_window->findChild<QTreeWidget*>(QStringLiteral("gpus")); }
    QString note() { return m_window->findChild<QLabel*>(QStringLiteral("gpuNote"))->text(); }
    void tick(int row, bool isTicked) { tree().topLevelItem(row)->setCheckState(0, isTicked ? Qt::Checked : Qt::Unchecked); }
    /// "x-" when the first is ticked and the second is not.
    QString ticks()
    {
        QString all;
        for (int i = 0; i < tree().topLevelItemCount(); ++i)
            all += tree().topLevelItem(i)->checkState(0) == Qt::Checked ? 'x' : '-';
        return all;
    }

    void open()
    {
        m_window = std::make_unique<ui::LaunchWindow>(m_home->home(), *m_control, *m_settings);
        QSignalSpy read(&choice(), &ui::GpuChoice::read);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        QVERIFY(!read.isEmpty() || read.wait(20'000));
    }

    QString finding(const char* what)
    {
        const auto* label = m_window->findChild<QLabel*>(QStringLiteral("preflight ") + QLatin1String(what));
        return label ? label->text() : QString();
    }
    QPushButton* fix(const QString& label)
    {
        for (QPushButton* button : m_window->findChild<ui::PreflightList*>()->findChildren<QPushButton*>()) {
            if (button->text() == label)
                return button;
        }
        return nullptr;
    }

private Q_SLOTS:
    void init()
    {
        m_gpus = std::make_unique<FakeGpus>();
        m_home = std::make_unique<ui_test::TestHome>();
        m_control = std::make_unique<ui::RunControl>(m_home->home());
        m_settings = std::make_unique<ui::Settings>(m_home->home());
    }
    void cleanup()
    {
        m_window.reset();
        m_settings.reset();
        m_control.reset();
        m_home.reset();
        m_gpus.reset();
    }

    void M4_tickedGpusReachTheExperimentByTheirUuids()
    {
        open();
        QCOMPARE(tree().topLevelItemCount(), 2);
        QCOMPARE(tree().topLevelItem(0)->text(0), QStringLiteral("0: NVIDIA H200"));
        QCOMPARE(tree().topLevelItem(0)->toolTip(0), QLatin1String(FakeGpus::kFirst));
        QCOMPARE(tree().topLevelItem(0)->text(1), QStringLiteral("149 GB of 150 GB"));
        QCOMPARE(ticks(), QStringLiteral("--"));
        QVERIFY2(note().startsWith("Any GPUs: the first 2"), qPrintable(note()));
        tick(1, true);
        QCOMPARE(draft().experiment().text("launch.gpus"), std::string(FakeGpus::kSecond));
        QCOMPARE(draft().experiment().integer("launch.ranks"), 1);
        QVERIFY2(draft().toml().contains("gpus = \"GPU-22bb\""), qPrintable(draft().toml()));
        tick(0, true);
        QCOMPARE(draft().experiment().text("launch.gpus"), std::string("GPU-11aa,GPU-22bb"));
        QCOMPARE(draft().experiment().integer("launch.ranks"), 2);
        QCOMPARE(note(), QStringLiteral("2 GPUs, one for each rank."));
        tick(0, false);
        tick(1, false);
        QVERIFY(!draft().isChanged("launch.gpus"));
        // The boxes follow the text.
        draft().setField("launch.gpus", "GPU-11");
        QCOMPARE(ticks(), QStringLiteral("x-"));
        draft().setField("launch.gpus", "1");
        QCOMPARE(ticks(), QStringLiteral("-x"));
        draft().setField("launch.gpus", "free");
        QCOMPARE(ticks(), QStringLiteral("--"));
        QVERIFY2(note().startsWith("Free GPUs: the ranks get "), qPrintable(note()));
        draft().setField("run.device", "cpu");
        QCOMPARE(ticks(), QStringLiteral("--"));
        QVERIFY2(note().startsWith("Training runs on the CPU, as the option"), qPrintable(note()));
        tick(1, true);
        QCOMPARE(draft().experiment().text("run.device"), std::string("auto"));
        QCOMPARE(ticks(), QStringLiteral("-x"));
    }

    void M4_aTakenGpuMayBeChosenWithAWarning()
    {
        m_gpus->set("", std::to_string(::getpid()) + ":2000000000");
        open();
        const QString user = tree().topLevelItem(1)->text(2);
        QVERIFY2(user.startsWith("tst_gpu_choice (process ") && user.endsWith(", 2.0 GB"), qPrintable(user));
        tick(1, true);
        QVERIFY2(note().startsWith("Others compute on a GPU that is ticked"), qPrintable(note()));
        QTRY_VERIFY2(finding("Devices").startsWith("Devices: GPU 1 is used by tst_gpu_choice"), qPrintable(finding("Devices")));
        QVERIFY(draft().problems().empty());
        fix(QStringLiteral("Use the free GPU 0"))->click();
        QCOMPARE(ticks(), QStringLiteral("x-"));
        QTRY_COMPARE(finding("Devices"), QStringLiteral("Devices: GPU 0 (NVIDIA H200)"));
    }

    void M4_aGpuThatIsTakenMeanwhileIsShown()
    {
        open();
        QVERIFY(tree().topLevelItem(0)->text(2).isEmpty());
        m_gpus->set(std::to_string(::getpid()) + ":2000000000", "");
        QTRY_VERIFY(tree().topLevelItem(0)->text(2).startsWith("tst_gpu_choice"));
        QCOMPARE(tree().topLevelItem(0)->text(1), QStringLiteral("50 GB of 150 GB"));
    }

    void M4_withoutGpusTheFormSaysSoInOneLine()
    {
        m_gpus->setNone();
        open();
        QVERIFY(!tree().isVisible());
        QCOMPARE(note(), QStringLiteral("Training runs on the CPU: the NVIDIA driver finds no GPU."));
    }

    void M3_buttonsMendWhatTheyStandBeside()
    {
        m_gpus->setNone();
        open();
        draft().setField("launch.ranks", "900");
        const QString mend = QStringLiteral("Start %1 processes").arg(std::thread::hardware_concurrency());
        QTRY_VERIFY(fix(mend));
        fix(mend)->click();
        QCOMPARE(draft().experiment().integer("launch.ranks"), qint64(std::thread::hardware_concurrency()));
        QTRY_VERIFY(!fix(mend));
        QVERIFY(m_window->form().field("launch.ranks")->findChild<QLineEdit*>()->text() != "900");

        draft().setField("data.path", "/nowhere/digits.csv.gz");
        QTRY_VERIFY(fix(QStringLiteral("Choose a file…")));
        QVERIFY2(finding("Experiment").contains("Data file"), qPrintable(finding("Experiment")));
        fix(QStringLiteral("Choose a file…"))->click();
        auto* const dialog = m_window->findChild<QFileDialog*>(QStringLiteral("pathDialog"));
        QVERIFY(dialog);
        Q_EMIT dialog->fileSelected(QStringLiteral(ATELIER_SOURCE_DIR "/resources/digits.csv.gz"));
        dialog->close();
        QTRY_VERIFY(!fix(QStringLiteral("Choose a file…")));

        draft().setField("model.width", "9");
        QTRY_VERIFY(fix(QStringLiteral("Show the option")));
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        fix(QStringLiteral("Show the option"))->click();
        QVERIFY(m_window->form().findChild<QLineEdit*>("model.width")->hasFocus());
    }

    void M3_aFullDiskHasWaysOut()
    {
        const auto trash = m_home->home().trash() / "digits-20261121-101500-aaaa";
        std::filesystem::create_directories(trash);
        std::ofstream(trash / "weights") << "1234";
        open();
        QSignalSpy trashRequested(m_window.get(), &ui::LaunchWindow::trashRequested);
        draft().setField("model.width", "16384");
        draft().setField("model.depth", "512");
        QTRY_VERIFY(fix(QStringLiteral("Look into the trash (1 MB)")));
        fix(QStringLiteral("Look into the trash (1 MB)"))->click();
        QCOMPARE(trashRequested.count(), 1);
        fix(QStringLiteral("Keep runs elsewhere…"))->click();
        QVERIFY(m_window->findChild<QFileDialog*>(QStringLiteral("homeDialog")));
        const auto* list = m_window->findChild<ui::PreflightList*>();
        const QRect last = fix(QStringLiteral("Keep runs elsewhere…"))->geometry();
        QVERIFY2(last.right() <= list->viewport()->width(), "a button is cut off");
    }
};

ATELIER_UI_TEST_MAIN(GpuChoiceTest)
#include "tst_gpu_choice.moc"
