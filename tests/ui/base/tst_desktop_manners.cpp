// E11: what the desktop says is followed: its icons, where freedesktop has names for them, and that nothing should move.
#include "tests/ui/support/ui_test_main.h"
#include "ui/base/action_registry.h"
#include "ui/base/appearance.h"
#include "ui/base/edged_fusion.h"
#include "ui/base/icons.h"
#include "ui/base/motion.h"
#include "ui/base/window_size.h"

#include <QAbstractAnimation>
#include <QApplication>
#include <QDBusServer>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QPalette>
#include <QProgressBar>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

/// The portal of a desktop, spoken to without a bus in between.
class Portal : public QObject {
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.portal.Settings")
public:
    QHash<QString, QVariant> values;  ///< by the key

public Q_SLOTS:
    QDBusVariant Read(const QString&, const QString& key)
    {
        ++asked;
        return QDBusVariant(QVariant::fromValue(QDBusVariant(values.value(key, QString()))));
    }

Q_SIGNALS:
    void SettingChanged(const QString& part, const QString& key, const QDBusVariant& value);

public:
    int asked = 0;
};

class DesktopMannersTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_themes;

    void addIcon(const QString& name, const QColor& colour)
    {
        QImage image(16, 16, QImage::Format_ARGB32);
        image.fill(colour);
        QVERIFY(image.save(m_themes->filePath(QStringLiteral("plain/16x16/%1.png").arg(name))));
    }
    static QColor colourOf(const QIcon& icon) { return icon.pixmap(QSize(16, 16), 1.0).toImage().pixelColor(1, 1); }

private Q_SLOTS:
    void init()
    {
        m_themes = std::make_unique<QTemporaryDir>();
        QVERIFY(QDir(m_themes->path()).mkpath(QStringLiteral("plain/16x16")));
        QFile index(m_themes->filePath(QStringLiteral("plain/index.theme")));
        QVERIFY(index.open(QIODevice::WriteOnly));
        index.write("[Icon Theme]\nName=Plain\nDirectories=16x16\n[16x16]\nSize=16\nType=Fixed\n");
        index.close();
        addIcon(QStringLiteral("document-new"), Qt::darkRed);
        QIcon::setThemeSearchPaths({m_themes->path()});
    }
    void cleanup()
    {
        QIcon::setThemeName({});
        QApplication::setPalette(ui::lightPalette());
    }

    void E11_actionsHaveTheDesktopsIconsAndElseOurs()
    {
        ui::ActionRegistry actions;
        const QAction& added = *actions.add({"a", "New", "new", {}, {}, {}}, [] {});
        const QAction& ours = *actions.add({"b", "Checkpoint", "checkpoint", {}, {}, {}}, [] {});
        const QImage ourNew = added.icon().pixmap(QSize(16, 16), 1.0).toImage();
        const QImage ourCheckpoint = ours.icon().pixmap(QSize(16, 16), 1.0).toImage();
        QIcon::setThemeName(QStringLiteral("plain"));
        QCOMPARE(colourOf(added.icon()), QColor(Qt::darkRed));
        QCOMPARE(ours.icon().pixmap(QSize(16, 16), 1.0).toImage(), ourCheckpoint);  // freedesktop has no name for it
        QVERIFY(colourOf(ui::icon(QStringLiteral("new"), Qt::blue)) != QColor(Qt::darkRed));  // its colour says something
        QIcon::setThemeName(QStringLiteral("gone"));
        QCOMPARE(added.icon().pixmap(QSize(16, 16), 1.0).toImage(), ourNew);
    }

    void E11_anIconThatCannotBeSeenIsNotTaken()
    {
        addIcon(QStringLiteral("document-save"), QColor(40, 40, 40));
        QIcon::setThemeName(QStringLiteral("plain"));
        const QIcon save = ui::icon(QStringLiteral("save"));
        QCOMPARE(colourOf(save), QColor(40, 40, 40));
        QPalette dark;
        dark.setColor(QPalette::Window, QColor(34, 38, 45));
        dark.setColor(QPalette::ButtonText, QColor(228, 232, 238));
        QApplication::setPalette(dark);
        QVERIFY(colourOf(save) != QColor(40, 40, 40));
    }

    /// What was kept on a larger screen, or on one that lay elsewhere, is wholly on the screen that is there.
    void aWindowComesBackWithinTheScreen_data()
    {
        QTest::addColumn<QRect>("kept");
        const QRect room = QGuiApplication::primaryScreen()->availableGeometry();
        QTest::newRow("larger than the screen") << QRect(room.topLeft() + QPoint(10, 30), room.size() * 2);
        QTest::newRow("wider than the screen") << QRect(room.topLeft() + QPoint(10, 40), QSize(room.width() + 300, room.height() / 2));
        QTest::newRow("partly beside it") << QRect(room.center(), room.size() * 0.75);
        QTest::newRow("within") << QRect(room.topLeft() + QPoint(60, 60), room.size() / 2);
    }
    void aWindowComesBackWithinTheScreen()
    {
        QFETCH(QRect, kept);
        QWidget before, after;
        before.setGeometry(kept);
        ui::restoreOnScreen(after, before.saveGeometry());
        const QRect room = QGuiApplication::primaryScreen()->availableGeometry();
        QVERIFY2(room.contains(after.geometry()), qPrintable(QStringLiteral("%1, %2").arg(after.x()).arg(after.width())));
        QCOMPARE(after.size(), kept.size().boundedTo(ui::sizeOnScreen(after, kept.size())));
        if (room.contains(kept))
            QCOMPARE(after.geometry(), kept);
    }

    void E11_nothingMovesForThoseWhoWantThat_data()
    {
        QTest::addColumn<QString>("part");
        QTest::addColumn<QString>("key");
        QTest::addColumn<QVariant>("off");
        QTest::addColumn<QVariant>("on");
        QTest::newRow("freedesktop") << "org.freedesktop.appearance" << "reduced-motion" << QVariant(1U) << QVariant(0U);
        QTest::newRow("GNOME") << "org.gnome.desktop.interface" << "enable-animations" << QVariant(false) << QVariant(true);
        QTest::newRow("KDE") << "org.kde.kdeglobals.KDE" << "AnimationDurationFactor" << QVariant(QStringLiteral("0")) << QVariant(QStringLiteral("1.0"));
    }
    void E11_nothingMovesForThoseWhoWantThat()
    {
        QFETCH(QString, part);
        QFETCH(QString, key);
        QFETCH(QVariant, off);
        QFETCH(QVariant, on);
        Portal portal;
        portal.values.insert(key, off);
        QDBusServer server;
        std::unique_ptr<QDBusConnection> desktop;
        connect(&server, &QDBusServer::newConnection, this, [&](const QDBusConnection& connection) {
            desktop = std::make_unique<QDBusConnection>(connection);
            desktop->registerObject("/org/freedesktop/portal/desktop", &portal, QDBusConnection::ExportAllSlots | QDBusConnection::ExportAllSignals);
        });
        const QString name = QLatin1String(QTest::currentDataTag());
        QDBusConnection client = QDBusConnection::connectToPeer(server.address(), name);
        QTRY_VERIFY(desktop);
        QApplication::setStyle(new ui::EdgedFusion);
        const auto isMoving = [] {
            QProgressBar bar;
            bar.setRange(0, 0);
            bar.resize(100, 10);
            bar.grab();
            return !bar.findChildren<QAbstractAnimation*>().isEmpty();
        };
        QVERIFY(isMoving());
        {
            const ui::MotionSetting setting(client);
            QTRY_VERIFY(ui::isMotionReduced());
            QVERIFY(!isMoving());
            QCOMPARE(QApplication::style()->styleHint(QStyle::SH_Widget_Animation_Duration), 0);
            QTRY_COMPARE(portal.asked, 3);
            Q_EMIT portal.SettingChanged(part, key, QDBusVariant(on));
            QTRY_VERIFY(!ui::isMotionReduced());
            QVERIFY(isMoving());
            Q_EMIT portal.SettingChanged(part, key, QDBusVariant(off));
            QTRY_VERIFY(ui::isMotionReduced());
        }
        QDBusConnection::disconnectFromPeer(name);
    }
};

ATELIER_UI_TEST_MAIN(DesktopMannersTest)
#include "tst_desktop_manners.moc"
