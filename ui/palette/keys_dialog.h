// The window of keys: lists all actions with their keys, and gives them others; and the keys of single views, which are fixed.
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

namespace ui {

/// Gives the actions the keys that the user has chosen in an earlier session. Call it when all actions are registered.
void applyOwnKeys(ActionRegistry& actions, const Settings& settings);

/// A key that a view has of its own, and that stays.
struct FixedKey {
    QString text;  ///< "Plot: show all steps"
    QString key;   ///< "F"
    QString help;
};

/// Deletes itself when closed.
class KeysDialog : public QDialog {
    Q_OBJECT
public:
    /// @param actions and @param settings must outlive this. @param fixed are listed below the actions
    KeysDialog(ActionRegistry& actions, Settings& settings, QWidget* parent, const QList<FixedKey>& fixed = {});

    QTreeWidget& list() { return *m_list; }
    /// Why the key in the field cannot be taken, or whose it is; empty: it is free.
    QString note() const;

private:
    void setupFields();
    void fill();
    void narrow(const QString& text);
    QString chosenId() const;
    void showChosen();
    void check();
    QString ownerOf(const QKeySequence& key) const;  ///< the id of another action that has it; empty: none
    void give(const QKeySequence& key);
    void setKey(const QString& id, const QKeySequence& key);
    void resetAll();

    ActionRegistry& m_actions;
    Settings& m_settings;
    QList<FixedKey> m_fixed;
    QLineEdit* m_search;
    QTreeWidget* m_list;
    QKeySequenceEdit* m_key;
    QLabel* m_note;
    QPushButton* m_set = nullptr;
    QPushButton* m_none = nullptr;
    QPushButton* m_default = nullptr;
};

}  // namespace ui
