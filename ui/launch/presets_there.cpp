#include "ui/launch/presets_there.h"

#include "ui/language/outside_text.h"
#include "ui/launch/draft.h"
#include "ui/launch/preset_menu.h"

#include <QAction>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <utility>

namespace ui {
namespace {

QString inMenu(QString name) { return name.replace(QLatin1Char('&'), QLatin1String("&&")); }  // where & marks a key

}  // namespace

PresetsThere::PresetsThere(launcher::Mirror& mirror, Draft& draft, QWidget* window)
    : QMenu(window)
    , m_mirror(mirror)
    , m_draft(draft)
    , m_window(window)
    , m_removal(new QMenu(tr("&Delete there"), this))
    , m_note(tr("They are being read…"))
{
    setObjectName(QStringLiteral("presetsThere"));
    m_removal->setObjectName(QStringLiteral("deletePresetsThere"));
    setTitle(tr("Presets of %1").arg(host()));
    connect(this, &QMenu::aboutToShow, this, &PresetsThere::read);
    fill();
}

void PresetsThere::read()
{
    m_mirror.execute({"presets", "list", "--json"}, this, [this](const launcher::CommandReply& reply) {
        QStringList names;
        const QJsonArray rows = QJsonDocument::fromJson(QByteArray::fromStdString(reply.output)).array();
        for (const QJsonValue& row : rows)
            names << row["name"].toString();
        const QString note = !reply.isAccepted ? translatedSentence(reply.error) : names.isEmpty() ? tr("No presets yet") : QString();
        if (names == m_names && note == m_note)
            return;
        m_names = names;
        m_note = note;
        fill();
    });
}

void PresetsThere::fill()
{
    clear();
    m_removal->clear();
    for (const QString& name : std::as_const(m_names))
        addAction(inMenu(name), this, [this, name] { choose(name); });
    if (!m_note.isEmpty())
        addAction(inMenu(m_note))->setEnabled(false);
    addSeparator();
    addAction(tr("&Save there as a preset…"), this, &PresetsThere::askName)->setObjectName(QStringLiteral("savePresetThere"));
    if (m_names.isEmpty())
        return;
    addMenu(m_removal);
    for (const QString& name : std::as_const(m_names))
        m_removal->addAction(tr("%1…").arg(inMenu(name)), this, [this, name] { askRemoval(name); });
}

void PresetsThere::choose(const QString& name)
{
    m_mirror.execute({"presets", "show", name.toStdString(), "--json"}, this, [this](const launcher::CommandReply& reply) {
        const QJsonObject preset = QJsonDocument::fromJson(QByteArray::fromStdString(reply.output)).object();
        if (!reply.isAccepted || !preset["toml"].isString())
            Q_EMIT reported(reply.isAccepted ? tr("%1 does not say what is in the preset.").arg(host()) : translatedSentence(reply.error));
        else
            Q_EMIT chosen(preset["file"].toString(), preset["toml"].toString());
    });
}

void PresetsThere::askName()
{
    if (const QString refusal = m_draft.saveRefusal(); !refusal.isEmpty())
        return Q_EMIT reported(refusal);
    PresetMenu::askName(m_window, tr("Save as a preset on %1").arg(host()), m_draft.fieldText(QStringLiteral("run.name")), [this](const QString& name) {
        if (!m_names.contains(name))
            return store(name);
        PresetMenu::confirm(m_window, tr("Replace a preset"), tr("There is a preset “%1” on %2 already. Replace it?").arg(name, host()), tr("Replace"),
            [this, name] { store(name); });
    });
}

void PresetsThere::store(const QString& name)
{
    execute({"presets", "save", name.toStdString(), "-"}, m_draft.savedMessage(tr("Saved as the preset “%1” on %2.").arg(name, host())),
        m_draft.tomlFor({}).toStdString());
}

void PresetsThere::askRemoval(const QString& name)
{
    PresetMenu::confirm(m_window, tr("Delete a preset"), tr("Delete the preset “%1” on %2? The experiment stays in this window.").arg(name, host()),
        tr("Delete"), [this, name] { execute({"presets", "rm", name.toStdString()}, tr("Deleted the preset “%1” on %2.").arg(name, host())); });
}

void PresetsThere::execute(const std::vector<std::string>& arguments, const QString& success, const std::string& input)
{
    const auto onReply = [this, success](const launcher::CommandReply& reply) {
        Q_EMIT reported(reply.isAccepted ? success : translatedSentence(reply.error));
        read();
    };
    m_mirror.execute(arguments, this, onReply, input);
}

}  // namespace ui
