#include "tests/ui/support/ui_test_main.h"
#include "ui/base/settings.h"

#include <QFile>
#include <QTemporaryDir>

class SettingsTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    launcher::DataHome home() const
    {
        launcher::DataHome home;
        home.state = m_folder.path().toStdString();
        home.config = m_folder.path().toStdString();
        return home;
    }

private Q_SLOTS:
    void whatWasSetIsThereAtTheNextStart()
    {
        {
            ui::Settings settings(home());
            settings.setAppearance(ui::Appearance::Dark);
            settings.setLooks({{"digits-1", 3}});
            settings.setDraft("[optim]\nlr = 0.5\n", "/somewhere");
            settings.setLayout(QByteArray("\x00\xff layout", 9));
        }
        const ui::Settings settings(home());
        QCOMPARE(settings.appearance(), ui::Appearance::Dark);
        QCOMPARE(settings.looks().value("digits-1"), 3);
        QCOMPARE(settings.draft(), QStringLiteral("[optim]\nlr = 0.5\n"));
        QCOMPARE(settings.draftFolder(), QStringLiteral("/somewhere"));
        QCOMPARE(settings.layout(), QByteArray("\x00\xff layout", 9));
    }

    /// A window that is killed loses at most the last moment.
    void changesReachTheFileWhileTheWindowIsOpen()
    {
        ui::Settings settings(home());
        settings.setDraft("killed later", {});
        QTRY_COMPARE(ui::Settings(home()).draft(), QStringLiteral("killed later"));
    }

    void aFileThatCannotBeReadIsNoObstacle()
    {
        QFile file(m_folder.filePath("window.ini"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("[[[ \xff no ini");
        file.close();
        QCOMPARE(ui::Settings(home()).draft(), QString());
    }
};

ATELIER_UI_TEST_MAIN(SettingsTest)
#include "tst_settings.moc"
