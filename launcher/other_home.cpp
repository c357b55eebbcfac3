#include "launcher/home/other_home.h"

#include "engine/contract/formats/output_file.h"
#include "engine/contract/formats/sentence.h"
#include "launcher/base/folders.h"
#include "launcher/runs/launch.h"

#include <QProcess>
#include <QProcessEnvironment>

#include <stdexcept>
#include <system_error>

namespace launcher {
namespace {

void startDetached(QProcess& program)
{
    if (!program.startDetached())
        throw std::runtime_error("the program " + program.program().toStdString() + " could not be started (" + program.errorString().toStdString() + ")");
}

}  // namespace

void openOnHome(const std::filesystem::path& folder, std::string_view toml)
{
    const std::filesystem::path file = folder / "state" / "moved.toml";
    createFolder(file.parent_path());
    try {
        contract::writeFileAtomically(file, toml);
    } catch (const std::system_error& error) {
        throw std::runtime_error(contract::cannotBe("written", file, error.code().value()));
    }
    QProcess program;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("ATELIER_HOME"), QString::fromStdString(folder.string()));
    program.setProcessEnvironment(environment);
    program.setProgram(QString::fromStdString(programPath("atelier")));
    program.setArguments({QString::fromStdString(file.string())});
    startDetached(program);
}

void openOnHost(const std::string& host, const std::string& name)
{
    QProcess program;
    program.setProgram(QString::fromStdString(programPath("atelier")));
    program.setArguments({QStringLiteral("--host"), QString::fromStdString(host), QStringLiteral("--remote-program"), QString::fromStdString(name)});
    startDetached(program);
}

}  // namespace launcher
