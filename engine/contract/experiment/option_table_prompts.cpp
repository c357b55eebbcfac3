// Options of the prompts that image models draw samples for.
#include "engine/contract/experiment/option_tables.h"

namespace contract {
namespace {

using enum OptionType;

}  // namespace

std::vector<Option> promptOptions()
{
    return {
        {.key = "rollout.prompt_file", .label = "Prompt file", .type = FilePath, .defaultValue = "",
            .help = "Prompts that an image model draws samples for: a text file with a prompt on each line, or JSON lines such as "
                    "{\"prompt\": \"a red heart\"}, whose other fields reach the rewards; no images are read then; empty: the captions of "
                    "the training images", .appliesTo = kOnImages},
    };
}

}  // namespace contract
