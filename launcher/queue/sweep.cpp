#include "launcher/queue/sweep.h"

#include "engine/contract/experiment/experiment.h"

#include <set>
#include <utility>

namespace launcher {

bool mayList(const contract::Option& option)
{
    using enum contract::OptionType;
    return option.type == Boolean || option.type == Integer || option.type == Real || option.type == Choice;
}

std::vector<std::string> distinctValues(const ListedOption& option)
{
    contract::Experiment experiment;
    std::set<std::string> known;
    std::vector<std::string> distinct;
    for (const std::string& value : option.values) {
        const bool isValid = !experiment.setText(option.key, value);
        if (known.insert(isValid ? contract::toText(experiment.value(option.key)) : value).second)
            distinct.push_back(value);
    }
    return distinct;
}

std::vector<SweepRun> combinations(const std::vector<ListedOption>& options)
{
    std::vector<SweepRun> all(1);
    for (const ListedOption& option : options) {
        const std::vector<std::string> values = distinctValues(option);
        std::vector<SweepRun> next;
        for (const SweepRun& run : all) {
            for (const std::string& value : values) {
                next.push_back(run);
                next.back().values.push_back(value);
                if (values.size() > 1)
                    next.back().nameEnding += " " + option.key.substr(option.key.rfind('.') + 1) + "=" + value;
            }
        }
        all = std::move(next);
    }
    return all;
}

}  // namespace launcher
