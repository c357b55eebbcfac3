// The registry of all actions and keys of the program; menus, the toolbar, the palette, the list of keys and tests read it.
#pragma once
#include <QAction>
#include <QHash>
#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QPointer>
#include <QString>
#include <QStringList>
#include <QWidget>

#include <functional>

class QKeyEvent;

namespace ui {

// [Note: places of keys] Each view registers its actions with the place that it is: the tab "checkpoints", a "plot" within the tab "plots",
// the "launch" window. The key of an action works while its place has the focus, so two places may use the same key, unless one contains
// the other. Most keys are QAction shortcuts, by addTo(). Where a key would be missing on other widgets of the view (Space on a button,
// Return in a field), the view takes key presses itself, on the widgets that they are for, and asks trigger(). Keys that nobody would
// give away (arrows, Escape) are handled by the widgets, and registered by addFixed() for the list of keys and so that no action gets them.

/// A part of the program with actions or keys of its own. Its keys work while it has the focus.
struct ActionPlace {
    QString id;          ///< "checkpoints"
    QString title;       ///< "Checkpoints"; heads its actions in lists
    QStringList within;  ///< the places that contain it, whose keys work in it, too
};

/// Of the main window; the default of every action.
inline constexpr auto kWindowPlace = QLatin1StringView("window");
/// Of all windows; every place is within it.
inline constexpr auto kEverywhere = QLatin1StringView("everywhere");

struct ActionSpec {
    QString id;    ///< "run.stop"
    QString text;  ///< with its mnemonic: "&Stop"
    QString icon;  ///< file name in resources/icons without ".svg"; may be empty
    QKeySequence key;  ///< by default
    QString help;  ///< one sentence, shown in the tooltip and the status bar
    QString commandLine;  ///< the equivalent command, "atelier stop RUN"; may be empty
    QString place = kWindowPlace;
};

/// Keys that move or choose within a place and that the user cannot change: arrows, Space on a row.
struct FixedKeys {
    QString place;
    QString text;  ///< "Move the view"
    QList<QKeySequence> keys;
    QString help;  ///< one sentence; may be empty
};

/// What a button says for an action: its text without mnemonic and dots.
QString buttonText(QString text);
/// The title of an action in lists: its text without mnemonic.
QString titleText(QString text);

class ActionRegistry : public QObject {
    Q_OBJECT
public:
    explicit ActionRegistry(QObject* parent = nullptr);

    /// Declares a place; those that it is within must be there already. Without @p place.within it is within the main window.
    /// @param view what the place is on the screen; null: a window that is not always there
    void addPlace(ActionPlace place, QWidget* view = nullptr);
    const QList<ActionPlace>& places() const { return m_places; }
    /// The widget of the place of action @p id; null: the main window, or one that is not there.
    QWidget* viewOf(const QString& id) const;
    /// Whether the keys of both places can work at the same time: one contains the other, or they are the same.
    bool areActiveTogether(const QString& place, const QString& other) const;

    /// Creates an action; its id must not be registered yet, and its place must be. @p run is called when the action is triggered.
    /// Its key works where the action is added to a widget.
    QAction* add(const ActionSpec& spec, std::function<void()> run);
    /// The same, and makes its key work in @p widget and what it contains; or, with Qt::WidgetShortcut, in that widget alone.
    QAction* addTo(QWidget& widget, const ActionSpec& spec, std::function<void()> run, Qt::ShortcutContext context = Qt::WidgetWithChildrenShortcut);

    void addFixed(const FixedKeys& keys);
    const QList<FixedKeys>& fixed() const { return m_fixed; }

    /// The action registered under @p id, which must exist.
    QAction* action(const QString& id) const;
    /// What action @p id, which must exist, was registered with.
    const ActionSpec& spec(const QString& id) const;
    const QList<ActionSpec>& specs() const { return m_specs; }

    /// @param reason why the action is disabled; shown in its tooltip.
    void setEnabled(const QString& id, bool isEnabled, const QString& reason = {});
    QString reason(const QString& id) const { return m_reasons.value(id); }  ///< empty when it is enabled

    /// Triggers the action of @p place, if it can be done, whose key was pressed: for places that handle keys themselves, since they
    /// mean something only on some of their widgets. @return false: there is none
    bool trigger(const QString& place, const QKeyEvent& press) const;
    /// Gives a control that does by itself what action @p id does the action's tooltip, also when that changes.
    void describe(const QString& id, QWidget& control) const;

    /// Gives an action another key, which its tooltip then names. Empty: none.
    void setKey(const QString& id, const QKeySequence& key);
    /// The ids of the other actions that @p key would trigger, too, where action @p id is.
    QStringList ownersOf(const QKeySequence& key, const QString& id) const;
    /// The fixed keys among which @p key is where action @p id is; null: none.
    const FixedKeys* fixedOf(const QKeySequence& key, const QString& id) const;

private:
    bool contains(const QString& place, const QString& inner) const;
    void showToolTip(const QString& id);

    QList<ActionPlace> m_places;
    QHash<QString, QPointer<QWidget>> m_views;  ///< by place
    QList<ActionSpec> m_specs;
    QList<FixedKeys> m_fixed;
    QHash<QString, QAction*> m_actions;
    QHash<QString, QString> m_reasons;  ///< of those that are disabled
};

}  // namespace ui
