#include "ui/base/settings.h"

namespace ui {
namespace {

QString file(const std::filesystem::path& folder, const char* name)
{
    return QString::fromStdString((folder / name).string());
}

/// @param run as in Settings::draft()
QString draftKey(const QString& run, const char* key)
{
    return (run.isEmpty() ? QString() : QStringLiteral("queued/%1/").arg(run)) + QLatin1String(key);
}

}  // namespace

Settings::Settings(const launcher::DataHome& home, QObject* parent)
    : QObject(parent)
    , m_state(file(home.state, "window.ini"))
    , m_config(file(home.config, "settings.ini"))
{
}

QByteArray Settings::geometry(const QString& window) const
{
    return m_state.value(QStringLiteral("geometry/") + window).toByteArray();
}

void Settings::setGeometry(const QString& window, const QByteArray& geometry)
{
    m_state.setValue(QStringLiteral("geometry/") + window, geometry);
}

QByteArray Settings::layout() const
{
    return m_state.value(QStringLiteral("layout")).toByteArray();
}

void Settings::setLayout(const QByteArray& layout)
{
    m_state.setValue(QStringLiteral("layout"), layout);
}

QByteArray Settings::header(const QString& view) const
{
    return m_state.value(QStringLiteral("header/") + view).toByteArray();
}

void Settings::setHeader(const QString& view, const QByteArray& state)
{
    m_state.setValue(QStringLiteral("header/") + view, state);
}

QByteArray Settings::viewState(const QString& view) const
{
    return m_state.value(QStringLiteral("view/") + view).toByteArray();
}

void Settings::setViewState(const QString& view, const QByteArray& state)
{
    m_state.setValue(QStringLiteral("view/") + view, state);
}

QStringList Settings::drawnRuns() const
{
    return m_state.value(QStringLiteral("drawnRuns")).toStringList();
}

void Settings::setDrawnRuns(const QStringList& ids)
{
    m_state.setValue(QStringLiteral("drawnRuns"), ids);
}

QString Settings::inspectedRun() const
{
    return m_state.value(QStringLiteral("inspectedRun")).toString();
}

void Settings::setInspectedRun(const QString& id)
{
    m_state.setValue(QStringLiteral("inspectedRun"), id);
}

Appearance Settings::appearance() const
{
    const QString word = m_config.value(QStringLiteral("appearance")).toString();
    if (word == QLatin1String("light"))
        return Appearance::Light;
    return word == QLatin1String("dark") ? Appearance::Dark : Appearance::System;
}

void Settings::setAppearance(Appearance appearanceNow)
{
    const char* const word = appearanceNow == Appearance::Light ? "light"
        : appearanceNow == Appearance::Dark                     ? "dark"
                                                                : "system";
    m_config.setValue(QStringLiteral("appearance"), QLatin1String(word));
    Q_EMIT appearanceChanged(appearanceNow);
}

QString Settings::language() const
{
    return m_config.value(QStringLiteral("language")).toString();
}

void Settings::setLanguage(const QString& code)
{
    m_config.setValue(QStringLiteral("language"), code);
}

bool Settings::areNotificationsOn() const
{
    const QVariant kept = m_config.value(QStringLiteral("notifications"));
    return !kept.isValid() || kept.toBool();
}

void Settings::setNotificationsOn(bool isOn)
{
    m_config.setValue(QStringLiteral("notifications"), isOn);
}

QHash<QString, QString> Settings::ownKeys() const
{
    QHash<QString, QString> keys;
    const QVariantMap stored = m_config.value(QStringLiteral("keys")).toMap();
    for (auto entry = stored.begin(); entry != stored.end(); ++entry)
        keys.insert(entry.key(), entry.value().toString());
    return keys;
}

void Settings::setOwnKeys(const QHash<QString, QString>& keys)
{
    QVariantMap stored;
    for (auto entry = keys.begin(); entry != keys.end(); ++entry)
        stored.insert(entry.key(), entry.value());
    m_config.setValue(QStringLiteral("keys"), stored);
}

QHash<QString, int> Settings::looks() const
{
    QHash<QString, int> looks;
    const QVariantMap stored = m_state.value(QStringLiteral("looks")).toMap();
    for (auto entry = stored.begin(); entry != stored.end(); ++entry)
        looks.insert(entry.key(), entry.value().toInt());
    return looks;
}

void Settings::setLooks(const QHash<QString, int>& looks)
{
    QVariantMap stored;
    for (auto entry = looks.begin(); entry != looks.end(); ++entry)
        stored.insert(entry.key(), entry.value());
    m_state.setValue(QStringLiteral("looks"), stored);
}

bool Settings::isDetachExplained() const
{
    return m_state.value(QStringLiteral("detachExplained")).toBool();
}

void Settings::setDetachExplained()
{
    m_state.setValue(QStringLiteral("detachExplained"), true);
}

StoredDraft Settings::draft(const QString& run) const
{
    const auto value = [&](const char* key) { return m_state.value(draftKey(run, key)); };
    StoredDraft draft {.toml = value("draft").toString(), .readableToml = value("draftReadable").toString(), .folder = value("draftFolder").toString()};
    draft.typed = value("draftLists").toStringList();
    draft.origin = value("draftOrigin").toStringList();
    const QVariant isEdited = value("draftEdited");
    draft.isEdited = isEdited.isValid() ? isEdited.toBool() : !draft.toml.isEmpty();
    return draft;
}

void Settings::setDraft(const StoredDraft& draft, const QString& run)
{
    const auto set = [&](const char* key, const QVariant& value) { m_state.setValue(draftKey(run, key), value); };
    set("draft", draft.toml);
    set("draftReadable", draft.readableToml);
    set("draftFolder", draft.folder);
    set("draftLists", draft.typed);
    set("draftOrigin", draft.origin);
    set("draftEdited", draft.isEdited);
}

void Settings::removeDraft(const QString& run)
{
    for (const char* key : {"draft", "draftReadable", "draftFolder", "draftLists", "draftOrigin", "draftEdited"})
        m_state.remove(draftKey(run, key));
}

}  // namespace ui
