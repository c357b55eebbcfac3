// The settings that the window keeps between sessions.
#pragma once
#include "launcher/base/data_home.h"
#include "ui/base/settings_file.h"

#include <QByteArray>
#include <QHash>
#include <QObject>
#include <QString>
#include <QStringList>

namespace ui {

enum class Appearance { System, Light, Dark };

/// What the launch form keeps of an experiment, in its own format.
struct StoredDraft {
    QString toml = {};          ///< empty: none
    QString readableToml = {};  ///< the last text that could be read; of older versions empty
    QString folder = {};        ///< what relative paths in the text are relative to
    QStringList typed = {};     ///< what fields hold besides: lists of values and invalid texts, "optim.lr=1e-4, 3e-4"
    QStringList origin = {};    ///< what the draft was filled from; empty: nothing
    bool isEdited = false;      ///< it holds changes that are kept nowhere else
};

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

    /// The choices made in @p view, in that view's own format; empty: none.
    QByteArray viewState(const QString& view) const;
    void setViewState(const QString& view, const QByteArray& state);

    QStringList drawnRuns() const;  ///< ids, in the order in which they were drawn
    void setDrawnRuns(const QStringList& ids);
    QString inspectedRun() const;   ///< id; empty: none
    void setInspectedRun(const QString& id);

    Appearance appearance() const;
    void setAppearance(Appearance appearance);

    QString language() const;  ///< a code such as "de"; empty: the system's
    void setLanguage(const QString& code);

    QHash<QString, int> looks() const;
    void setLooks(const QHash<QString, int>& looks);

    /// Whether the user has been told that training continues when the window is closed.
    bool isDetachExplained() const;
    void setDetachExplained();

    /// Whether the desktop is told when a run ends or hangs.
    bool areNotificationsOn() const;
    void setNotificationsOn(bool isOn);

    /// The launch form's draft. @p run the one that waits in the queue and is being edited; empty: a new experiment
    StoredDraft draft(const QString& run = {}) const;
    void setDraft(const StoredDraft& draft, const QString& run = {});
    void removeDraft(const QString& run);

    /// The keys that the user has given to actions in place of the default ones, by the actions' ids, in the portable form of
    /// QKeySequence; an empty one: none.
    QHash<QString, QString> ownKeys() const;
    void setOwnKeys(const QHash<QString, QString>& keys);

Q_SIGNALS:
    void appearanceChanged(ui::Appearance appearance);

private:
    SettingsFile m_state;   ///< window layout, choices in views, drawn runs and their looks, drafts
    SettingsFile m_config;  ///< the user's preferences
};

}  // namespace ui
