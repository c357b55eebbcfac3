// The registry of all actions of the window; menus, the toolbar, the shortcut list and tests read it.
#pragma once
#include <QAction>
#include <QHash>
#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QString>

#include <functional>

namespace ui {

struct ActionSpec {
    QString id;    ///< "run.stop"
    QString text;  ///< with its mnemonic: "&Stop"
    QString icon;  ///< file name in resources/icons without ".svg"; may be empty
    QKeySequence key;  ///< by default
    QString help;  ///< one sentence, shown in the tooltip and the status bar
    QString commandLine;  ///< the equivalent command, "atelier stop RUN"; may be empty
};

class ActionRegistry : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Creates an action; its id must not be registered yet. @p run is called when the action is triggered.
    QAction* add(const ActionSpec& spec, std::function<void()> run);

    /// The action registered under @p id, which must exist.
    QAction* action(const QString& id) const;
    const QList<ActionSpec>& specs() const { return m_specs; }

    /// @param reason why the action is disabled; shown in its tooltip.
    void setEnabled(const QString& id, bool isEnabled, const QString& reason = {});
    QString reason(const QString& id) const { return m_reasons.value(id); }  ///< empty when it is enabled

    /// Gives an action another key, which its tooltip then names. Empty: none.
    void setKey(const QString& id, const QKeySequence& key);

private:
    void showToolTip(const QString& id);

    QList<ActionSpec> m_specs;
    QHash<QString, QAction*> m_actions;
    QHash<QString, QString> m_reasons;  ///< of those that are disabled
};

}  // namespace ui
