#include "engine/data/prompt_list.h"

#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/text.h"

#include <algorithm>

namespace engine {

std::vector<Prompt> readPrompts(const std::filesystem::path& file)
{
    return contract::promptsOf(contract::fileContent(file, contract::kMaxPromptFileBytes), file);
}

std::vector<std::string> splitPrompts(std::string_view text)
{
    std::vector<std::string> prompts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('|'), text.size());
        if (const std::string_view prompt = contract::trimmed(text.substr(0, end)); !prompt.empty())
            prompts.emplace_back(prompt);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return prompts;
}

}  // namespace engine
