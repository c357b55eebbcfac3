// Keeps what the user has set in the controls of a view from one session to the next (E5).
#pragma once
#include <QHash>
#include <QObject>
#include <QString>
#include <QVariantMap>

class QAbstractButton;
class QComboBox;
class QHeaderView;
class QLineEdit;
class QSplitter;
class QTabWidget;
class QWidget;

namespace ui {

class Settings;

/// Marks @p control as one to keep under @p name, which is unique in its view: a combo box, a line edit, a checkable button, a splitter,
/// a tab widget, or the header of a table that is sorted.
/// @param role of a combo box: the data that identifies an entry among those of another run; entries without such data go by their text
void keep(QWidget& control, const char* name, int role = Qt::UserRole);

class KeptControls : public QObject {
public:
    /// Sets the marked controls within @p view as they were left, and stores each change in @p settings, which must outlive this, as
    /// the state of @p name. A combo box whose entry is not there yet gets it once it is offered, unless the user chooses another first.
    KeptControls(Settings& settings, const QString& name, QWidget& view);

private:
    void take(QWidget& control, const QString& name);
    void take(QComboBox& box, const QString& name);
    void take(QLineEdit& edit, const QString& name);
    void take(QAbstractButton& button, const QString& name);
    void take(QSplitter& splitter, const QString& name);
    void take(QTabWidget& tabs, const QString& name);
    void take(QHeaderView& header, const QString& name);
    void choose(QComboBox& box, const QString& name);
    void store(const QString& name, const QVariant& value);

    Settings& m_settings;
    const QString m_name;
    QVariantMap m_values;            ///< by the controls' names
    QHash<QString, QString> m_late;  ///< the entries of combo boxes that have not been offered yet, by the controls' names
};

}  // namespace ui
