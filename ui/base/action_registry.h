// All actions in one place: menus, toolbar, shortcut list and tests read it.
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
    QString icon;  ///< of resources/icons; may be empty
    QKeySequence key;
    QString help;  ///< one sentence
    QString twin;  ///< the same on the command line: "atelier stop RUN"; may be empty
};

class ActionRegistry : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// The id must be new. @p run is called when the action is triggered.
    QAction* add(const ActionSpec& spec, std::function<void()> run);

    /// The id must be known.
    QAction* action(const QString& id) const;
    const QList<ActionSpec>& specs() const { return m_specs; }

    /// A disabled action says why in its tooltip.
    void setEnabled(const QString& id, bool isEnabled, const QString& reason = {});

private:
    QString toolTip(const ActionSpec& spec, const QString& reason) const;

    QList<ActionSpec> m_specs;
    QHash<QString, QAction*> m_actions;
};

}  // namespace ui
