// The window of keys: lists all actions and fixed keys by the view that they work in, and gives the actions other keys.
#pragma once
#include "ui/base/action_registry.h"
#include "ui/base/settings.h"

#include <QDialog>
#include <QString>

#include <vector>

class QKeySequenceEdit;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace ui {

/// Gives the actions the keys that the user has chosen in an earlier session, and takes them from those that have them by default. Call it
/// when all actions are registered.
void applyOwnKeys(ActionRegistry& actions, const Settings& settings);

/// Deletes itself when closed.
class KeysDialog : public QDialog {
    Q_OBJECT
public:
    /// @p actions and @p settings must outlive this.
    KeysDialog(ActionRegistry& actions, Settings& settings, QWidget* parent);

    /// A row for each place, with those of its actions and fixed keys below it.
    QTreeWidget& list() { return *m_list; }
    /// Makes the row of action @p id current.
    void choose(const QString& id);
    /// Why the key in the field cannot be taken, or whose it is; empty: it is free.
    QString note() const;

private:
    void setupFields();
    void fill();
    void fillPlace(const ActionPlace& place);
    void narrow(const QString& text);
    QString chosenId() const;
    void showChosen();
    void check();
    /// Why the chosen action cannot have @p key; empty: it can.
    QString refusal(const QKeySequence& key) const;
    void give(const QKeySequence& key);
    void setKey(const QString& id, const QKeySequence& key);
    void resetAll();

    ActionRegistry& m_actions;
    Settings& m_settings;
    QLineEdit* m_search;
    QTreeWidget* m_list;
    QKeySequenceEdit* m_key;
    QLabel* m_note;
    QPushButton* m_set = nullptr;
    QPushButton* m_none = nullptr;
    QPushButton* m_default = nullptr;
};

}  // namespace ui
