#include "ui/launch/draft_origin.h"

#include "launcher/home/presets.h"
#include "launcher/home/ready_experiments.h"
#include "ui/launch/option_words.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace ui {
namespace {

constexpr const char* kKindWords[] = {"defaults", "ready", "preset", "run", "file"};

QString originWords(const char* source) { return QCoreApplication::translate("ui::DraftOrigin", source); }

template <typename Named>
QString nameOfFile(const std::vector<Named>& all, const QString& file)
{
    std::error_code ignored;
    const auto found = std::ranges::find_if(
        all, [&](const Named& each) { return std::filesystem::equivalent(each.file, file.toStdString(), ignored); });
    return found == all.end() ? QString() : QString::fromStdString(found->name);
}

}  // namespace

QString DraftOrigin::words() const
{
    switch (kind) {
    case Kind::Defaults:
        break;
    case Kind::Ready:
        return originWords(QT_TRANSLATE_NOOP("ui::DraftOrigin", "the ready experiment “%1”")).arg(name);
    case Kind::Preset:
        return originWords(QT_TRANSLATE_NOOP("ui::DraftOrigin", "the preset “%1”")).arg(name);
    case Kind::Run:
        return originWords(QT_TRANSLATE_NOOP("ui::DraftOrigin", "the run “%1”")).arg(name);
    case Kind::File:
        return originWords(QT_TRANSLATE_NOOP("ui::DraftOrigin", "the file “%1”")).arg(QFileInfo(name).fileName());
    }
    return originWords(QT_TRANSLATE_NOOP("ui::DraftOrigin", "the defaults"));
}

QStringList DraftOrigin::toStrings() const
{
    return {QLatin1String(kKindWords[static_cast<int>(kind)]), name,
        QString::fromStdString(experiment.toToml(contract::Experiment::Write::ChangedOnly))};
}

DraftOrigin DraftOrigin::restored(const QStringList& strings)
{
    DraftOrigin origin;
    if (strings.size() != 3)
        return origin;
    const auto word = std::ranges::find(kKindWords, strings[0].toStdString());
    if (word == std::end(kKindWords))
        return origin;
    origin.kind = static_cast<Kind>(word - kKindWords);
    origin.name = strings[1];
    origin.experiment = contract::parseExperiment(strings[2].toStdString(), {}).experiment;
    return origin;
}

DraftOrigin DraftOrigin::ofFile(const launcher::DataHome& home, const QString& file, const contract::Experiment& experiment)
{
    if (const QString ready = nameOfFile(launcher::readyExperiments(), file); !ready.isEmpty())
        return {Kind::Ready, ready, experiment};
    if (const QString preset = nameOfFile(launcher::presets(home), file); !preset.isEmpty())
        return {Kind::Preset, preset, experiment};
    return {Kind::File, QFileInfo(file).absoluteFilePath(), experiment};
}

std::vector<OptionDifference> differencesOf(const contract::Experiment& experiment, const contract::Experiment& origin)
{
    const contract::Experiment defaults;
    std::vector<OptionDifference> all;
    const auto add = [&](const contract::Option* option, bool differsFromOrigin) {
        all.push_back({option, valueWords(*option, experiment.value(option->key)), valueWords(*option, origin.value(option->key)),
            valueWords(*option, option->defaultValue), differsFromOrigin});
    };
    for (const contract::Option* option : contract::differingOptions(experiment, origin))
        add(option, true);
    for (const contract::Option* option : contract::differingOptions(experiment, defaults)) {
        if (experiment.value(option->key) == origin.value(option->key))
            add(option, false);
    }
    return all;
}

}  // namespace ui
