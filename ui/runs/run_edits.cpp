#include "ui/runs/run_edits.h"

#include "engine/contract/run/run_folder.h"
#include "ui/base/background.h"

namespace ui {

RunEdits::RunEdits(StoreService& store, QObject* parent)
    : QObject(parent)
    , m_store(store)
{
}

void RunEdits::rename(const QString& folder, const QString& name)
{
    edit(folder, [name](contract::Annotations& notes) { notes.name = name.toStdString(); });
}

void RunEdits::setArchived(const QString& folder, bool isArchived)
{
    edit(folder, [isArchived](contract::Annotations& notes) { notes.isArchived = isArchived; });
}

void RunEdits::edit(const QString& folder, std::function<void(contract::Annotations&)> change)
{
    const auto work = [folder, change = std::move(change)]() -> QString {
        try {
            const auto file = contract::RunFolder(folder.toStdString()).annotations();
            const contract::Annotations before = contract::readAnnotations(file);
            contract::Annotations after = before;
            change(after);
            contract::appendAnnotations(file, before, after);
            return {};
        } catch (const std::exception& error) {
            return QString::fromUtf8(error.what());
        }
    };
    inBackground(this, work, [this, folder](const QString& error) {
        if (error.isEmpty())
            m_store.catchUp(folder);
        else
            Q_EMIT failed(error);
    });
}

}  // namespace ui
