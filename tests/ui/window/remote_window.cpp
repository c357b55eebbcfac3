#include "tests/ui/window/remote_window.h"

#include <QLabel>

namespace ui_test {

void RemoteWindow::setUp()
{
    m_machine.emplace();
    qputenv("ATELIER_HOME", QByteArray::fromStdString(m_machine->laptop().data.string()));
}

void RemoteWindow::tearDown()
{
    m_window.reset();
    m_machine.reset();
}

void RemoteWindow::open()
{
    m_window = std::make_unique<OpenWindow>(m_machine->mirrorHome(), QSize(1600, 960), m_machine->host());
}

QString RemoteWindow::label()
{
    return text(m_window->window(), "remoteLabel");
}

QString RemoteWindow::text(QWidget& parent, const char* name)
{
    return parent.findChild<QLabel*>(QLatin1String(name))->text();
}

QString RemoteWindow::experiment(const QString& name, const QString& data)
{
    return QStringLiteral("[run]\nname = \"%1\"\ntotal_steps = 1000000\ndevice = \"cpu\"\n[launch]\nranks = 2\n[data]\npath = \"%2\"\n").arg(name, data);
}

contract::RunFolder RemoteWindow::startRun()
{
    const QString file = there().writeFile(QStringLiteral("long.toml"), experiment("long", there().writeFile(QStringLiteral("data.csv"), "0\n")).toUtf8());
    return there().runWell({QStringLiteral("run"), file, QStringLiteral("--detach")}).exitCode == 0 ? there().onlyRun() : contract::RunFolder("none");
}

}
