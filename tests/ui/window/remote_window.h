// The window on another machine, for tests. That machine is a real `atelier serve`, which a script reaches in place of ssh.
#pragma once
#include "tests/app/remote_machine.h"
#include "tests/ui/window/open_window.h"

#include <memory>
#include <optional>

namespace ui_test {

/// What a test of this window has: setUp() makes a machine of its own, open() shows the window, tearDown() ends both.
class RemoteWindow {
protected:
    void setUp();
    void tearDown();
    void open();

    tests::AtelierProgram& there() { return m_machine->program(); }
    QString host() { return QString::fromStdString(m_machine->host().text()); }
    /// What the status bar says of the connection.
    QString label();
    /// The text of the label of that object name.
    static QString text(QWidget& parent, const char* name);

    /// An experiment of 2 ranks that does not end by itself, with its data in the file @p data.
    static QString experiment(const QString& name, const QString& data);
    /// Starts one there, "long"; needs no window.
    contract::RunFolder startRun();

    std::optional<tests::RemoteMachine> m_machine;
    std::unique_ptr<OpenWindow> m_window;
};

}
