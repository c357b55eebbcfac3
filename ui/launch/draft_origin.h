// What a draft was filled from, and by what it differs from that.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "launcher/base/data_home.h"

#include <QString>
#include <QStringList>

#include <vector>

namespace ui {

struct DraftOrigin {
    enum class Kind { Defaults, Ready, Preset, Run, File };
    Kind kind = Kind::Defaults;
    QString name;                           ///< of the preset or ready experiment, id of the run, path of the file
    contract::Experiment experiment = {};   ///< as it was there

    /// "preset “heart”", "the defaults".
    QString words() const;

    /// For the settings; restored() gives back what toStrings() was called on.
    QStringList toStrings() const;
    static DraftOrigin restored(const QStringList& strings);
    /// The origin of a draft that was read from @p file: a preset, a ready experiment or another file.
    static DraftOrigin ofFile(const launcher::DataHome& home, const QString& file, const contract::Experiment& experiment);
};

/// An option whose value in a draft differs from that of its origin or from the default.
struct OptionDifference {
    const contract::Option* option;
    QString value, originValue, defaultValue;  ///< as the form shows them: labels of choices, "on" and "off"
    bool differsFromOrigin;
};

/// First those that differ from the origin, then those that only differ from the default; in the order of the options.
std::vector<OptionDifference> differencesOf(const contract::Experiment& experiment, const contract::Experiment& origin);

}  // namespace ui
