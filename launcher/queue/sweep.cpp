#include "launcher/queue/sweep.h"

#include <utility>

namespace launcher {

bool mayList(const contract::Option& option)
{
    using enum contract::OptionType;
    return option.type == Boolean || option.type == Integer || option.type == Real || option.type == Choice;
}

std::vector<SweepRun> combinations(const std::vector<ListedOption>& options)
{
    std::vector<SweepRun> all(1);
    for (const ListedOption& option : options) {
        std::vector<SweepRun> next;
        for (const SweepRun& run : all) {
            for (const std::string& value : option.values) {
                next.push_back(run);
                next.back().values.push_back(value);
                if (option.values.size() > 1)
                    next.back().nameEnding += " " + option.key.substr(option.key.rfind('.') + 1) + "=" + value;
            }
        }
        all = std::move(next);
    }
    return all;
}

}  // namespace launcher
