// What the window remembers between two starts.
#pragma once
#include "launcher/data_home.h"
#include "ui/base/settings_file.h"

#include <QByteArray>
#include <QHash>
#include <QObject>
#include <QString>

namespace ui {

enum class Appearance { System, Light, Dark };

class Settings : public QObject {
    Q_OBJECT
public:
    explicit Settings(const launcher::DataHome& home, QObject* parent = nullptr);

    QByteArray geometry(const QString& window) const;
    void setGeometry(const QString& window, const QByteArray& geometry);
    QByteArray layout() const;  ///< docks and toolbars of the main window
    void setLayout(const QByteArray& layout);
    QByteArray header(const QString& view) const;
    void setHeader(const QString& view, const QByteArray& state);

    Appearance appearance() const;
    void setAppearance(Appearance appearance);

    QHash<QString, int> looks() const;
    void setLooks(const QHash<QString, int>& looks);

    /// Whether "training goes on" has been said.
    bool isDetachExplained() const;
    void setDetachExplained();

    /// The launch form's draft, as TOML; empty: none. The folder is what its paths are relative to.
    QString draft() const;
    QString draftFolder() const;
    void setDraft(const QString& toml, const QString& folder);

Q_SIGNALS:
    void appearanceChanged(ui::Appearance appearance);

private:
    SettingsFile m_state;   ///< layout and drafts
    SettingsFile m_config;  ///< what the user chose
};

}  // namespace ui
