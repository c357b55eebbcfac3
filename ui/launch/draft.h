// The experiment being edited: option values, TOML text, and the problems of both. No widgets.
//
// [Note: form and text]
// The form and the text editor show the same draft. A change in the form edits one value in the text; after a change
// in the text, the whole text is parsed again. Neither loses what was typed in the other: problems in the text stay in it as typed while
// a field changes another value, and an invalid field keeps its text while the text beside the form has the same value. While the
// text is not TOML at all, fields cannot change it: the form shows the last values that could be read, and discardText() brings them
// back. An invalid field leaves the text as it was before the typing in that field began.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "launcher/base/data_home.h"
#include "launcher/plan/preflight.h"
#include "launcher/queue/sweep.h"
#include "launcher/remote/mirror.h"
#include "ui/launch/draft_origin.h"

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace ui {

class Draft : public QObject {
    Q_OBJECT
public:
    /// @param mirror what @p home is a mirror of: the experiment is then checked on that machine, not here
    explicit Draft(const launcher::DataHome& home, QObject* parent = nullptr, launcher::Mirror* mirror = nullptr);

    const contract::Experiment& experiment() const { return m_experiment; }
    const QString& toml() const { return m_toml; }

    /// Sets an option from the text of its field. Values with a comma and a space between them, as in "1e-4, 3e-4", are a list: the option
    /// has the first, and a start makes a run for each; see lists(). If @p text is not a valid value, the text and its problem are kept, and
    /// option and TOML text are as they were before the typing in this field began. No-op while the text cannot be read.
    void setField(const QString& key, const QString& text);
    /// The options for which several values are given, in the order of the options.
    std::vector<launcher::ListedOption> lists() const;
    /// How many values are given for the option.
    std::size_t valueCount(const QString& key) const { return m_lists.contains(key) ? m_lists.at(key).size() : 1; }
    /// How many runs a start makes: 1 without lists.
    std::size_t runCount() const;
    /// What fields hold that the text beside the form does not, lists and invalid texts: "optim.lr=1e-4, 3e-4".
    QStringList typedTexts() const;
    /// Brings back a draft that was kept. @param readable as readableToml() was @param typed as typedTexts() were
    void restore(const QString& toml, const QString& readable, const QStringList& typed);

    /// Ends the typing in a field: fieldText() then gives a valid value as the form writes it.
    void finishField();
    /// The text to show in the field: the option's value, or the text as typed while it is being typed or invalid.
    QString fieldText(const QString& key) const;
    /// Sets the option to its default.
    void revert(const QString& key);
    /// Parses the TOML text and takes its values, if it can be read. Fields whose option it changes lose what was typed in them.
    void setToml(const QString& toml);
    /// False while the text is not TOML.
    bool isTextReadable() const { return m_isTextReadable; }
    /// The last text that could be read; the fields have its values.
    const QString& readableToml() const { return m_readableToml; }
    /// Puts readableToml() in place of a text that cannot be read; the text that is kept, if the two differ in blank lines only.
    void discardText();
    /// The folder that relative paths in the text are resolved against.
    const std::string& baseFolder() const { return m_baseFolder; }
    /// Fills the draft with the text of an experiment file on the other machine.
    void loadThere(const QString& file, const QString& toml);
    void setBaseFolder(const std::string& folder) { m_baseFolder = folder; }
    /// The machine on which the experiment will be started; null: this one.
    launcher::Mirror* mirror() const { return m_mirror; }

    /// A TOML file as it was read.
    struct File {
        QString path;
        std::string text = {};
        std::string problem = {};  ///< one sentence; empty: it could be read
        DraftOrigin origin = {};   ///< without the experiment
    };
    /// Any thread may call this.
    static File read(const launcher::DataHome& home, const QString& path);
    /// Loads a TOML file; relative paths are resolved against its folder. Errors appear in textProblems().
    void load(const File& file);
    void load(const QString& path) { load(read(m_home, path)); }
    /// The text in a file of @p folder: unless it has problems, its paths are those that they are here. An empty folder makes them absolute.
    QString tomlFor(const std::string& folder) const;
    /// Makes @p folder the base folder and, unless the text has problems, the paths in the text those that they were.
    void moveTo(const std::string& folder);
    /// Replaces values and text by those of @p origin.
    void setExperiment(const DraftOrigin& origin);

    /// What the draft was filled from last.
    const DraftOrigin& origin() const { return m_origin; }
    void setOrigin(const DraftOrigin& origin);

    /// Why what the fields show cannot be saved as text, naming the first invalid one; empty when it can.
    QString saveRefusal() const;
    /// @p sentence, which says where the text is saved, and what that leaves out of what the fields show.
    QString savedMessage(const QString& sentence) const;

    /// Whether the draft holds changes since load(), setExperiment() or markKept().
    bool isEdited() const { return m_toml != m_keptToml || !m_invalidTexts.empty() || !m_lists.empty(); }
    /// Tells the draft that its content is kept elsewhere: in a file, or by a run that was started with it.
    void markKept();

    /// All problems that prevent a start: first those of fields, in the order of the options, then the others.
    std::vector<contract::Problem> problems() const;
    /// The errors of the checks that are not among problems(); they prevent a start, too. Empty where a start makes several runs, each of
    /// which is then checked by itself.
    std::vector<launcher::PreflightItem> refusals() const;
    /// The problem of one field; empty if there is none.
    QString problemOf(const QString& key) const;
    /// Problems found when the text was read or parsed: the file, syntax, unknown keys, invalid values.
    const std::vector<contract::Problem>& textProblems() const { return m_textProblems; }

    /// True if the option differs from its default or its field has an invalid text.
    bool isChanged(const QString& key) const;
    /// True if the option has an effect with the current values of the other options.
    bool applies(const contract::Option& option) const { return missingCondition(option).empty(); }
    /// The unmet condition for @p option to have an effect, e.g. "data.source=folder"; empty if it has one. If the condition
    /// names an option that has no effect itself, the unmet condition of that option.
    std::string_view missingCondition(const contract::Option& option) const;

    /// The results of the last preflight check; empty before the first.
    const std::vector<launcher::PreflightItem>& preflight() const { return m_preflight; }
    /// What to show as the results: first what is wrong with fields and the text, which the checks did not see.
    std::vector<launcher::PreflightItem> findings() const;
    /// True from a change until checked(): problems() and preflight() may be out of date.
    bool isChecking() const { return m_generation != m_checkedGeneration; }

    /// The command line that starts the same experiment.
    QString commandLine() const;
    /// The one that gives this experiment to the run @p run in the queue, which has @p before.
    QString editCommandLine(const QString& run, const contract::Experiment& before) const;
    /// Why no command line does what form and text show; empty when one does.
    QString commandProblem() const;

Q_SIGNALS:
    void fieldsChanged();        ///< values or problems of fields have changed
    void originChanged();
    void textChanged();          ///< toml() was changed by the form, a file or setExperiment()
    void checked();              ///< cross-option rules, files and preflight have been checked

private:
    /// What the field in which the user types held before the typing began.
    struct Typing {
        QString key;
        QString text;  ///< as typed so far
        contract::OptionValue value;
        QString toml;
        std::vector<contract::Problem> textProblems;
    };

    struct Ready {
        std::string name;
        contract::Experiment experiment;
    };

    void changed();
    void check();
    void checkThere();
    std::string folderOf(const QString& file) const;
    void takeFindings(std::vector<contract::Problem> problems, std::vector<launcher::PreflightItem> preflight);
    void undoTyping();
    void keepInvalid(const QString& key, const QString& text, const QString& reason);
    QString invalidField() const;
    void replaceText(const QString& toml);
    QString program() const;

    launcher::DataHome m_home;
    launcher::Mirror* m_mirror;
    std::vector<Ready> m_ready;  ///< the experiments that commandLine() may begin from
    contract::Experiment m_experiment;
    QString m_toml;
    QString m_readableToml;
    bool m_isTextReadable = true;
    DraftOrigin m_origin;
    QString m_keptToml;  ///< the text that is kept elsewhere
    std::string m_baseFolder;
    std::optional<Typing> m_typing;
    std::map<QString, std::vector<std::string>> m_lists;  ///< key → values, two or more
    std::map<QString, QString> m_invalidTexts;    ///< key → text as typed that is not a valid value
    std::map<QString, QString> m_invalidReasons;  ///< key → why it is not valid
    std::vector<contract::Problem> m_textProblems;
    std::vector<contract::Problem> m_ruleProblems;  ///< from validate(), for m_checkedGeneration
    std::vector<launcher::PreflightItem> m_preflight;
    QTimer m_checkTimer;
    launcher::CommandId m_asked = 0;  ///< by which the other machine checks; 0: it does not
    quint64 m_generation = 0;         ///< incremented by every change
    quint64 m_checkedGeneration = 0;  ///< generation of the last completed check
};

}  // namespace ui
