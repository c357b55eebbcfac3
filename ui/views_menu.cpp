#include "ui/views_menu.h"

#include "ui/base/background.h"
#include "ui/base/icons.h"
#include "ui/views/view_files.h"

#include <QInputDialog>
#include <QMessageBox>
#include <QPushButton>

#include <utility>

namespace ui {
namespace {

/// In a menu & marks a key.
QString menuText(QString name)
{
    return name.replace(QLatin1Char('&'), QLatin1String("&&"));
}

}  // namespace

ViewsMenu::ViewsMenu(const launcher::DataHome& home, ViewKeeper& keeper, QWidget* window)
    : QMenu(tr("Saved &views"), window)
    , m_home(home)
    , m_keeper(keeper)
{
    setObjectName(QStringLiteral("savedViews"));
    fill();
    connect(this, &QMenu::aboutToShow, this, &ViewsMenu::list);
    connect(&m_keeper, &ViewKeeper::statusMessage, this, &ViewsMenu::list);
    list();
}

/// Lists the files, which another window or a person may have changed; the menu shows what it had until they are known.
void ViewsMenu::list()
{
    inBackground(this, [home = m_home] { return savedViews(home); }, [this](const QStringList& names) {
        if (std::exchange(m_names, names) != names)
            fill();
    });
}

void ViewsMenu::fill()
{
    clear();
    for (const QString& name : m_names)
        addAction(menuText(name), this, [this, name] { m_keeper.open(name); });
    if (m_names.isEmpty())
        addAction(tr("No saved views yet"))->setEnabled(false);
    addSeparator();
    addAction(ui::icon(QStringLiteral("save")), tr("&Save this view…"), this, &ViewsMenu::save)->setObjectName(QStringLiteral("saveView"));
    if (m_names.isEmpty())
        return;
    addNames(tr("&Rename"), [this](const QString& name) { rename(name); })->setObjectName(QStringLiteral("renameView"));
    addNames(tr("&Delete"), [this](const QString& name) { remove(name); })->setObjectName(QStringLiteral("deleteView"));
}

QMenu* ViewsMenu::addNames(const QString& title, const std::function<void(const QString&)>& use)
{
    auto* menu = new QMenu(title, this);
    addMenu(menu);
    for (const QString& name : m_names)
        menu->addAction(menuText(name) + QStringLiteral("…"), this, [use, name] { use(name); });
    return menu;
}

void ViewsMenu::save()
{
    askName(tr("Save the view"), {}, [this](const QString& name) { saveUnlessKept(name); });
}

void ViewsMenu::saveUnlessKept(const QString& name)
{
    if (!m_names.contains(name))
        return m_keeper.saveAs(name);
    confirm(tr("Replace a view"), tr("There is a view “%1” already. Replace it?").arg(name), tr("Replace"),
        [this, name] { m_keeper.saveAs(name); });
}

void ViewsMenu::rename(const QString& name)
{
    askName(tr("Rename the view"), name, [this, name](const QString& to) {
        if (to != name)
            m_keeper.rename(name, to);
    });
}

void ViewsMenu::remove(const QString& name)
{
    confirm(tr("Delete a view"), tr("Delete the view “%1”? The window stays as it is, and no run is touched.").arg(name), tr("Delete"),
        [this, name] { m_keeper.remove(name); });
}

void ViewsMenu::askName(const QString& title, const QString& value, std::function<void(const QString&)> use)
{
    auto* dialog = new QInputDialog(parentWidget());
    dialog->setObjectName(QStringLiteral("viewName"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);
    dialog->setLabelText(tr("Name of the view:"));
    dialog->setTextValue(value);
    connect(dialog, &QInputDialog::textValueSelected, this, [use = std::move(use)](const QString& name) { use(name.trimmed()); });
    dialog->open();
}

void ViewsMenu::confirm(const QString& title, const QString& question, const QString& verb, std::function<void()> act)
{
    auto* box = new QMessageBox(QMessageBox::Question, title, question, QMessageBox::NoButton, parentWidget());
    box->setObjectName(QStringLiteral("viewQuestion"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    QPushButton* const yes = box->addButton(verb, QMessageBox::DestructiveRole);
    box->setDefaultButton(box->addButton(QMessageBox::Cancel));
    connect(yes, &QPushButton::clicked, this, [act = std::move(act)] { act(); });
    box->open();
}

}  // namespace ui
