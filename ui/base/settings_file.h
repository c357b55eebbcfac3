// An INI file in memory, written back in the background: a slow disk must not hold the window up.
#pragma once
#include <QObject>
#include <QString>
#include <QTimer>
#include <QVariant>

namespace ui {

class SettingsFile : public QObject {
    Q_OBJECT
public:
    /// Reads the file; a missing one is empty.
    explicit SettingsFile(const QString& file, QObject* parent = nullptr);
    /// Writes what has not been written yet.
    ~SettingsFile() override;

    QVariant value(const QString& key) const { return m_values.value(key); }
    void setValue(const QString& key, const QVariant& value);

private:
    void save();

    QString m_file;
    QVariantMap m_values;
    QTimer m_timer;          ///< many changes in a row are written once
    bool m_isDirty = false;
    bool m_isWriting = false;
};

}  // namespace ui
