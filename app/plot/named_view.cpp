#include "app/plot/named_view.h"

#include "app/cli/failure.h"
#include "engine/contract/formats/text.h"
#include "ui/views/view_files.h"

#include <variant>

namespace app {

ui::SavedView viewNamed(const launcher::DataHome& home, const std::string& name)
{
    const QString asked = QString::fromStdString(name);
    if (!ui::savedViews(home).contains(asked))
        throw Failure("there is no view " + contract::inQuotes(contract::shortened(name)) + ": `atelier views` lists them");
    const std::variant<ui::SavedView, QString> read = ui::readView(home, asked);
    if (const QString* const problem = std::get_if<QString>(&read))
        throw Failure(problem->toStdString());
    return std::get<ui::SavedView>(read);
}

}  // namespace app
