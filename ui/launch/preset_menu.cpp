#include "ui/launch/preset_menu.h"

#include "ui/base/background.h"
#include "ui/base/icons.h"
#include "ui/language/outside_text.h"
#include "ui/launch/draft.h"
#include "ui/launch/presets_there.h"

#include <QAction>
#include <QInputDialog>
#include <QMessageBox>
#include <QPushButton>

#include <algorithm>
#include <exception>
#include <utility>

namespace ui {
PresetMenu::PresetMenu(const launcher::DataHome& home, Draft& draft, QWidget* window)
    : QMenu(window)
    , m_home(home)
    , m_draft(draft)
    , m_save(new QAction(ui::icon(QStringLiteral("save")), tr("&Save as a preset…"), window))
{
    setObjectName(QStringLiteral("presets"));
    m_save->setObjectName(QStringLiteral("savePreset"));
    connect(m_save, &QAction::triggered, window, [this] { save(); });  // a menu disconnects itself from actions that leave it
    connect(this, &QMenu::aboutToShow, this, [this] {
        fill();
        list();
    });
    list();
    if (!m_draft.mirror())
        return;
    m_there = new PresetsThere(*m_draft.mirror(), m_draft, window);
    connect(m_there, &PresetsThere::chosen, this, &PresetMenu::chosenThere);
    connect(m_there, &PresetsThere::reported, this, &PresetMenu::reported);
}

/// Lists the files, which the command line or a person may have changed; the menu shows what it had until they are known.
void PresetMenu::list()
{
    inBackground(this, [home = m_home] { return launcher::presets(home); }, [this](const std::vector<launcher::Preset>& found) {
        if (std::ranges::equal(m_presets, found, {}, &launcher::Preset::name, &launcher::Preset::name))
            return;
        m_presets = found;
        fill();
    });
}

void PresetMenu::fill()
{
    clear();
    const QString own = current();
    for (const launcher::Preset& preset : m_presets) {
        const QString name = QString::fromStdString(preset.name);
        QString text = name;  // in a menu & marks a key
        QAction* const choice = addAction(text.replace(QLatin1Char('&'), QLatin1String("&&")), this,
            [this, file = QString::fromStdString(preset.file.string())] { Q_EMIT chosen(file); });
        choice->setCheckable(name == own);
        choice->setChecked(name == own);
    }
    if (isEmpty())
        addAction(tr("No presets yet"))->setEnabled(false);
    addSeparator();
    m_save->setText(own.isEmpty() ? tr("&Save as a preset…") : tr("&Save “%1”").arg(own));
    addAction(m_save);
    if (!own.isEmpty())
        addActionsFor(own);
    if (m_there) {
        addSeparator();
        addMenu(m_there);
    }
}

/// @param own the preset that the draft was filled from
void PresetMenu::addActionsFor(const QString& own)
{
    addAction(tr("Save as a &new preset…"), this, &PresetMenu::saveAs)->setObjectName(QStringLiteral("saveNewPreset"));
    addAction(ui::icon(QStringLiteral("rename")), tr("&Rename “%1”…").arg(own), this, [this, own] { rename(own); })
        ->setObjectName(QStringLiteral("renamePreset"));
    addAction(ui::icon(QStringLiteral("trash")), tr("&Delete “%1”…").arg(own), this, [this, own] { remove(own); })
        ->setObjectName(QStringLiteral("deletePreset"));
}

/// The preset that the draft was filled from; empty when there is none any more.
QString PresetMenu::current() const
{
    const DraftOrigin& origin = m_draft.origin();
    const bool isThere = std::ranges::find(m_presets, origin.name.toStdString(), &launcher::Preset::name) != m_presets.end();
    return origin.kind == DraftOrigin::Kind::Preset && isThere ? origin.name : QString();
}

void PresetMenu::save()
{
    if (const QString refusal = m_draft.saveRefusal(); !refusal.isEmpty())
        return Q_EMIT reported(refusal);
    if (const QString own = current(); !own.isEmpty())
        store(own);
    else
        saveAs();
}

void PresetMenu::saveAs()
{
    if (const QString refusal = m_draft.saveRefusal(); !refusal.isEmpty())
        return Q_EMIT reported(refusal);
    askName(parentWidget(), tr("Save as a preset"), m_draft.fieldText(QStringLiteral("run.name")), [this](const QString& name) { storeUnlessKept(name); });
}

void PresetMenu::renameCurrent()
{
    if (const QString own = current(); !own.isEmpty())
        rename(own);
}

void PresetMenu::removeCurrent()
{
    if (const QString own = current(); !own.isEmpty())
        remove(own);
}

void PresetMenu::storeUnlessKept(const QString& name)
{
    if (name == current())
        return store(name);
    inBackground(this, [home = m_home, name = name.toStdString()] { return launcher::isPreset(home, name); }, [this, name](bool isThere) {
        if (!isThere)
            return store(name);
        confirm(parentWidget(), tr("Replace a preset"), tr("There is a preset “%1” already. Replace it?").arg(name), tr("Replace"), [this, name] { store(name); });
    });
}

void PresetMenu::store(const QString& name)
{
    m_draft.moveTo(launcher::presetsFolder(m_home).string());
    const DraftOrigin kept {DraftOrigin::Kind::Preset, name, m_draft.experiment()};
    inBackgroundThen(
        m_draft.savedMessage(tr("Saved as the preset “%1”.").arg(name)),
        [home = m_home, name = name.toStdString(), toml = m_draft.toml().toStdString()] { launcher::savePreset(home, name, toml); },
        [this, kept, toml = m_draft.toml()] {
            m_draft.setOrigin(kept);
            if (m_draft.toml() == toml)
                m_draft.markKept();
        });
}

void PresetMenu::rename(const QString& from)
{
    askName(parentWidget(), tr("Rename the preset"), from, [this, from](const QString& to) {
        if (to == from)
            return;
        inBackgroundThen(
            tr("Renamed the preset “%1” to “%2”.").arg(from, to),
            [home = m_home, from, to] { launcher::renamePreset(home, from.toStdString(), to.toStdString()); },
            [this, from, to] {
                DraftOrigin origin = m_draft.origin();
                if (origin.kind != DraftOrigin::Kind::Preset || origin.name != from)
                    return;
                origin.name = to;
                m_draft.setOrigin(origin);
            });
    });
}

void PresetMenu::remove(const QString& name)
{
    confirm(parentWidget(), tr("Delete a preset"), tr("Delete the preset “%1”? The experiment stays in this window.").arg(name), tr("Delete"), [this, name] {
        inBackgroundThen(
            tr("Deleted the preset “%1”.").arg(name), [home = m_home, name] { launcher::deletePreset(home, name.toStdString()); }, [] { });
    });
}

void PresetMenu::askName(QWidget* window, const QString& title, const QString& value, std::function<void(const QString&)> use)
{
    auto* dialog = new QInputDialog(window);
    dialog->setObjectName(QStringLiteral("presetName"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);
    dialog->setLabelText(tr("Name of the preset:"));
    dialog->setTextValue(value);
    connect(dialog, &QInputDialog::textValueSelected, window, [use = std::move(use)](const QString& name) { use(name.trimmed()); });
    dialog->open();
}

void PresetMenu::confirm(QWidget* window, const QString& title, const QString& question, const QString& verb, std::function<void()> act)
{
    auto* box = new QMessageBox(QMessageBox::Question, title, question, QMessageBox::NoButton, window);
    box->setObjectName(QStringLiteral("presetQuestion"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    QPushButton* const yes = box->addButton(verb, QMessageBox::DestructiveRole);
    box->setDefaultButton(box->addButton(QMessageBox::Cancel));
    connect(yes, &QPushButton::clicked, window, [act = std::move(act)] { act(); });
    box->open();
}

/// Calls @p act in the background, since it writes to the disk, and then @p then, unless @p act throws. Reports @p success or the error.
void PresetMenu::inBackgroundThen(const QString& success, std::function<void()> act, std::function<void()> then)
{
    struct Done {
        QString error;
        std::vector<launcher::Preset> presets;
    };
    const auto work = [home = m_home, act = std::move(act)] {
        QString error;
        try {
            act();
        } catch (const std::exception& problem) {
            error = translatedSentence(problem.what());
        }
        return Done {error, launcher::presets(home)};
    };
    inBackground(this, work, [this, success, then = std::move(then)](const Done& done) {
        m_presets = done.presets;
        if (done.error.isEmpty())
            then();
        Q_EMIT reported(done.error.isEmpty() ? success : done.error);
    });
}

}  // namespace ui
