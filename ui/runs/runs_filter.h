// Sorts and filters the runs table.
#pragma once
#include <QSortFilterProxyModel>
#include <QStringList>

namespace ui {

class RunsFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit RunsFilter(QObject* parent = nullptr);

    /// Shows the runs whose id, name, project, tags or state contain every word of @p text, ignoring case.
    void setWords(const QString& text);
    bool hasWords() const { return !m_words.isEmpty(); }
    void setArchivedShown(bool isShown);

protected:
    bool filterAcceptsRow(int sourceRow, const QModelIndex& sourceParent) const override;

private:
    QStringList m_words;
    bool m_isArchivedShown = false;
};

}  // namespace ui
