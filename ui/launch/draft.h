// The experiment that is being filled in: values, text, and what is wrong with them. No widgets.
//
// [Note: form and text]
// Form and text show one draft. A change in the form edits one line of the text; a change in the text is
// parsed anew. While the text has problems it stays exactly as written: the form shows what could be read,
// and a change there mends or replaces the text only when the user makes one.
#pragma once
#include "engine/contract/experiment.h"
#include "launcher/data_home.h"
#include "launcher/launch.h"

#include <QHash>
#include <QObject>
#include <QString>
#include <QTimer>

#include <string_view>
#include <vector>

namespace ui {

class Draft : public QObject {
    Q_OBJECT
public:
    explicit Draft(const launcher::DataHome& home, QObject* parent = nullptr);

    const contract::Experiment& experiment() const { return m_experiment; }
    const QString& toml() const { return m_toml; }

    /// A field's text. What is not a value of the option is kept as the field's problem.
    void setField(const QString& key, const QString& text);
    /// What the field shows: the value, or the wrong text as typed.
    QString fieldText(const QString& key) const;
    void revert(const QString& key);
    /// The text as typed.
    void setToml(const QString& toml);
    /// What the text's relative paths are relative to.
    const std::string& baseFolder() const { return m_baseFolder; }
    void setBaseFolder(const std::string& folder) { m_baseFolder = folder; }
    /// Reads a file, relative paths resolved against its folder. Whatever is wrong with it is a problem.
    void load(const QString& file);
    void setExperiment(const contract::Experiment& experiment);

    /// All there is to mend before a start, fields in their order first.
    std::vector<contract::Problem> problems() const;
    /// Of one field; empty: none.
    QString problemOf(const QString& key) const;
    /// Problems of the text itself: syntax, unknown keys.
    const std::vector<contract::Problem>& textProblems() const { return m_textProblems; }

    bool isChanged(const QString& key) const;
    /// Whether it has an effect with the other values as they are.
    bool applies(const contract::Option& option) const { return missingCondition(option).empty(); }
    /// Else what would have to be so, of an option that has an effect itself: "data.source=folder".
    std::string_view missingCondition(const contract::Option& option) const;

    /// What stands against starting, as of the last look; empty before the first.
    const std::vector<launcher::PreflightItem>& preflight() const { return m_preflight; }
    /// True while problems() may be out of date.
    bool isChecking() const { return m_generation != m_checkedGeneration; }

    /// The same start on the command line.
    QString commandLine() const;

Q_SIGNALS:
    void fieldsChanged();        ///< values or their problems
    void textChanged();          ///< toml() was changed by the form or a file
    void checked();              ///< rules that span options, files and preflight have been looked at

private:
    void changed();
    void check();

    launcher::DataHome m_home;
    contract::Experiment m_experiment;
    QString m_toml;
    std::string m_baseFolder;
    QHash<QString, QString> m_wrongTexts;  ///< key → what was typed and is no value
    QHash<QString, QString> m_wrongReasons;
    std::vector<contract::Problem> m_textProblems;
    std::vector<contract::Problem> m_ruleProblems;  ///< of validate(), as of m_checkedGeneration
    std::vector<launcher::PreflightItem> m_preflight;
    QTimer m_checkTimer;
    quint64 m_generation = 0;
    quint64 m_checkedGeneration = 0;
};

}  // namespace ui
