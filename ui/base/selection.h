// Which runs are drawn and which one is inspected: the one selection that feeds all views.
#pragma once
#include <QHash>
#include <QList>
#include <QObject>
#include <QString>

namespace ui {

class Selection : public QObject {
    Q_OBJECT
public:
    struct DrawnRun {
        QString runId;
        int look = 0;  ///< index of colour and dash: see look.h
        bool operator==(const DrawnRun&) const = default;
    };

    using QObject::QObject;

    /// In the order in which they were switched on.
    const QList<DrawnRun>& drawn() const { return m_drawn; }
    bool isDrawn(const QString& runId) const;
    void setDrawn(const QString& runId, bool isDrawn);

    /// The look of a run that was drawn at some time; -1 otherwise. A run keeps its look for life.
    int lookOf(const QString& runId) const { return m_looks.value(runId, -1); }
    /// The user's choice of another look.
    void setLook(const QString& runId, int look);
    /// All looks ever given, for the settings file.
    const QHash<QString, int>& looks() const { return m_looks; }
    void restoreLooks(const QHash<QString, int>& looks) { m_looks = looks; }

    /// Empty: none.
    const QString& inspected() const { return m_inspected; }
    void setInspected(const QString& runId);

    /// A run that is no more: neither drawn nor inspected.
    void forget(const QString& runId);

Q_SIGNALS:
    void drawnChanged();
    void inspectedChanged(const QString& runId);

private:
    int freeLook() const;

    QList<DrawnRun> m_drawn;
    QHash<QString, int> m_looks;
    QString m_inspected;
};

}  // namespace ui
