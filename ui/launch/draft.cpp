#include "ui/launch/draft.h"

#include "ui/base/background.h"
#include "ui/launch/toml_text.h"

#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <chrono>

namespace ui {
namespace {

using namespace std::chrono_literals;

struct Findings {
    std::vector<contract::Problem> problems;
    std::vector<launcher::PreflightItem> preflight;
};

QString shellQuoted(const std::string& text)
{
    static constexpr char kPlain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/=+:,@%";
    if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos)
        return QString::fromStdString(text);
    QString quoted = QString::fromStdString(text);
    quoted.replace(QLatin1Char('\''), QStringLiteral("'\\''"));
    return QLatin1Char('\'') + quoted + QLatin1Char('\'');
}

}  // namespace

Draft::Draft(const launcher::DataHome& home, QObject* parent)
    : QObject(parent)
    , m_home(home)
{
    m_checkTimer.setSingleShot(true);
    m_checkTimer.setInterval(150ms);
    connect(&m_checkTimer, &QTimer::timeout, this, &Draft::check);
    changed();
}

void Draft::setField(const QString& key, const QString& text)
{
    const std::string name = key.toStdString();
    if (const auto problem = m_experiment.setText(name, text.toStdString())) {
        m_wrongTexts.insert(key, text);
        m_wrongReasons.insert(key, QString::fromStdString(problem->message));
        changed();
        return;
    }
    m_wrongTexts.remove(key);
    m_wrongReasons.remove(key);
    m_toml = QString::fromStdString(withValue(m_toml.toStdString(), name, m_experiment, m_baseFolder));
    m_textProblems.clear();
    Q_EMIT textChanged();
    changed();
}

QString Draft::fieldText(const QString& key) const
{
    const auto wrong = m_wrongTexts.find(key);
    return wrong != m_wrongTexts.end()
        ? *wrong : QString::fromStdString(contract::toText(m_experiment.value(key.toStdString())));
}

void Draft::revert(const QString& key)
{
    const contract::Option* const option = contract::findOption(key.toStdString());
    setField(key, QString::fromStdString(contract::toText(option->defaultValue)));
}

void Draft::setToml(const QString& toml)
{
    m_toml = toml;
    auto parsed = contract::parseExperiment(toml.toStdString(), m_baseFolder);
    m_experiment = std::move(parsed.experiment);
    m_textProblems = std::move(parsed.problems);
    m_wrongTexts.clear();
    m_wrongReasons.clear();
    changed();
}

void Draft::load(const QString& file)
{
    QFile source(file);
    if (!source.open(QIODevice::ReadOnly)) {
        m_textProblems = {{.key = {}, .message = tr("%1 cannot be read: %2.")
                               .arg(file, source.errorString()).toStdString(), .line = 0}};
        changed();
        return;
    }
    m_baseFolder = QFileInfo(file).absolutePath().toStdString();
    setToml(QString::fromUtf8(source.readAll()));
    Q_EMIT textChanged();
}

void Draft::setExperiment(const contract::Experiment& experiment)
{
    setBaseFolder({});
    setToml(QString::fromStdString(experiment.toToml(contract::Experiment::Write::ChangedOnly)));
    Q_EMIT textChanged();
}

std::vector<contract::Problem> Draft::problems() const
{
    std::vector<contract::Problem> all;
    for (const contract::Option& option : contract::options()) {
        const QString reason = problemOf(QString::fromUtf8(option.key.data(), qsizetype(option.key.size())));
        if (!reason.isEmpty())
            all.push_back({.key = std::string(option.key), .message = reason.toStdString(), .line = 0});
    }
    const auto addWholeFile = [&all](const std::vector<contract::Problem>& problems) {
        std::ranges::copy_if(problems, std::back_inserter(all),
            [](const contract::Problem& problem) { return !contract::findOption(problem.key); });
    };
    addWholeFile(m_textProblems);
    addWholeFile(m_ruleProblems);
    return all;
}

QString Draft::problemOf(const QString& key) const
{
    const auto wrong = m_wrongReasons.find(key);
    if (wrong != m_wrongReasons.end())
        return *wrong;
    for (const auto* problems : {&m_textProblems, &m_ruleProblems}) {
        const auto found = std::ranges::find(*problems, key.toStdString(), &contract::Problem::key);
        if (found != problems->end())
            return QString::fromStdString(found->message);
    }
    return {};
}

bool Draft::isChanged(const QString& key) const
{
    return m_wrongTexts.contains(key) || m_experiment.isChanged(key.toStdString());
}

std::string_view Draft::missingCondition(const contract::Option& option) const
{
    const std::size_t sign = option.appliesTo.find('=');
    if (sign == std::string_view::npos)
        return {};
    const contract::Option& other = *contract::findOption(option.appliesTo.substr(0, sign));
    if (const std::string_view missing = missingCondition(other); !missing.empty())
        return missing;
    return contract::appliesWith(option, contract::toText(m_experiment.value(other.key))) ? std::string_view() : option.appliesTo;
}

void Draft::changed()
{
    ++m_generation;
    m_checkTimer.start();
    Q_EMIT fieldsChanged();
}

// Files and disks can be slow: what needs them is looked at in the background.
void Draft::check()
{
    const auto work = [home = m_home, experiment = m_experiment] {
        return Findings {experiment.validate(), launcher::preflight(home, experiment)};
    };
    inBackground(this, work, [this, generation = m_generation](Findings findings) {
        if (generation != m_generation)
            return;
        m_checkedGeneration = generation;
        m_ruleProblems = std::move(findings.problems);
        m_preflight = std::move(findings.preflight);
        Q_EMIT fieldsChanged();
        Q_EMIT checked();
    });
}

QString Draft::commandLine() const
{
    QStringList words = {QStringLiteral("atelier run")};
    for (const contract::Option& option : contract::options()) {
        if (!m_experiment.isChanged(option.key))
            continue;
        const std::string setting
            = std::string(option.key) + "=" + contract::toText(m_experiment.value(option.key));
        words << QStringLiteral("--set ") + shellQuoted(setting);
    }
    return words.join(QStringLiteral(" "));
}

}  // namespace ui
