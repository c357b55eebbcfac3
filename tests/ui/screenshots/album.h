// Keeps images of the window, each taken when everything in it has been answered and painted.
#pragma once
#include "launcher/base/data_home.h"
#include "ui/base/settings.h"
#include "ui/main_window.h"

#include <QString>
#include <QTest>

#include <memory>
#include <optional>

namespace screenshots {

class Album {
public:
    /// @param scale 1 or the factor that Qt draws with, for the files' names
    Album(QString folder, int scale);

    void keep(QWidget& widget, const QString& name);
    /// Sets the window's colours and, for the names of the images to come, "light" or "dark".
    void setAppearance(ui::Appearance appearance);
    /// Keeps NAME-light or NAME-dark.
    void keepBoth(QWidget& widget, const QString& name);

private:
    QString m_folder;
    QString m_suffix;
    QString m_appearance;
};

template <typename Condition>
void waitFor(Condition isTrue)
{
    if (!QTest::qWaitFor(isTrue, 20'000))
        qFatal("the window did not get ready for its image");
}

std::unique_ptr<ui::MainWindow> openWindow(const launcher::DataHome& home, QSize size = QSize(1600, 920), const std::optional<launcher::RemoteHost>& host = {});

/// Until everything that was asked of the database has been answered and painted.
void settle(ui::MainWindow& window);

}  // namespace screenshots
