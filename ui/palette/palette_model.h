// What the palette offers, narrowed to what the user types.
#pragma once
#include <QAbstractListModel>
#include <QIcon>
#include <QString>

#include <vector>

namespace ui {

struct PaletteEntry {
    enum class Kind { Action, View, Run, Metric, Option };
    Kind kind = Kind::Action;
    QString id;      ///< of the action, the run, the metric or the option; the name of a saved view
    QString title;   ///< "Export metrics…"
    QString detail;  ///< one line: what it does, or what state it is in
    QString hint;    ///< at the right: the key of an action
    QIcon icon = {};
    bool isEnabled = true;  ///< false: an action that cannot be done now; detail says why
};

class PaletteModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role { DetailRole = Qt::UserRole, HintRole, KindRole };
    static constexpr int kMostRows = 100;

    using QAbstractListModel::QAbstractListModel;

    void setEntries(std::vector<PaletteEntry> entries);
    /// Shows what matches, the best first and at most kMostRows; everything in its order when nothing is typed. A query that begins with one of ">@#:" finds only actions, runs, metrics or options.
    void setQuery(const QString& query);
    const PaletteEntry& entry(int row) const { return m_entries[m_shown[static_cast<std::size_t>(row)]]; }
    std::size_t matches() const { return m_matches; }  ///< of which the first are shown

    static QString kindName(PaletteEntry::Kind kind);  ///< "Run"

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

private:
    void narrow();

    struct Keys {
        QString name;    ///< title and id in lower case
        QString detail;  ///< in lower case
    };
    std::vector<PaletteEntry> m_entries;
    std::vector<Keys> m_keys;  ///< of the entries
    std::vector<std::size_t> m_shown;
    std::size_t m_matches = 0;
    QString m_query;
};

}  // namespace ui
