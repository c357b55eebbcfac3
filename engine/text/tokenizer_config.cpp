#include "engine/text/tokenizer_config.h"

#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/json_config.h"
#include "engine/contract/formats/safetensors_header.h"
#include "engine/contract/formats/text.h"

#include <limits>
#include <stdexcept>

namespace engine {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

[[noreturn]] void failInConfig(const fs::path& file, const std::string& fault)
{
    throw std::runtime_error(file.string() + ": " + fault);
}

/// A token is written as a string or as an object with its content.
std::string contentOf(const json& token)
{
    const json& content = token.is_object() ? member(token, "content") : token;
    return content.is_string() ? content.get<std::string>() : std::string();
}

bool flag(const json& token, const char* name, bool otherwise)
{
    const json& value = member(token, name);
    return value.is_boolean() ? value.get<bool>() : otherwise;
}

AddedToken addedToken(const fs::path& file, const json& token, const json& id)
{
    AddedToken added;
    added.content = contentOf(token);
    if (!id.is_number_integer() || id < 0 || id > std::numeric_limits<std::int32_t>::max())
        failInConfig(file, "the id of the added token " + contract::quotedName(added.content) + " is none");
    if (flag(token, "single_word", false))
        failInConfig(file, "the added token " + contract::quotedName(added.content) + " is matched as a single word, which is not supported");
    added.id = id.get<std::int64_t>();
    added.isSpecial = flag(token, "special", true);
    added.isNormalized = flag(token, "normalized", false);
    added.takesSpaceBefore = flag(token, "lstrip", false);
    added.takesSpaceAfter = flag(token, "rstrip", false);
    return added;
}

/// {"49406": {"content": …}, …}
std::vector<AddedToken> fromDecoder(const fs::path& file, const json& decoder)
{
    std::vector<AddedToken> tokens;
    for (const auto& [key, token] : decoder.items())
        tokens.push_back(addedToken(file, token, contract::parseInteger(key).value_or(-1)));
    return tokens;
}

/// [{"id": 49406, "content": …}, …]
std::vector<AddedToken> fromList(const fs::path& file, const json& list)
{
    std::vector<AddedToken> tokens;
    for (const json& token : list)
        tokens.push_back(addedToken(file, token, member(token, "id")));
    return tokens;
}

/// {"<|im_start|>": 151644, …}
std::vector<AddedToken> fromNames(const fs::path& file, const json& names)
{
    std::vector<AddedToken> tokens;
    for (const auto& [content, id] : names.items())
        tokens.push_back(addedToken(file, content, id));
    return tokens;
}

std::vector<AddedToken> addedTokensOf(const fs::path& folder, const json& config)
{
    if (const json& decoder = member(config, "added_tokens_decoder"); decoder.is_object())
        return fromDecoder(folder / "tokenizer_config.json", decoder);
    if (const fs::path file = folder / "tokenizer.json"; contract::hasEntry(file)) {
        const json content = parsedJson(file);
        return fromList(file, member(content, "added_tokens"));
    }
    if (const fs::path file = folder / "added_tokens.json"; contract::hasEntry(file))
        return fromNames(file, parsedJson(file));
    return {};
}

/// Returns the token that @p config names, else the one that @p map names.
std::string tokenNamed(const char* name, const json& config, const json& map)
{
    const std::string token = contentOf(member(config, name));
    return token.empty() ? contentOf(member(map, name)) : token;
}

}  // namespace

json parsedJson(const fs::path& file)
{
    json parsed = contract::readJson(file);
    if (!parsed.is_object())
        failInConfig(file, "is not a JSON object");
    return parsed;
}

const json& member(const json& object, const char* name)
{
    static const json none;
    const auto found = object.find(name);  // end() if it is not an object
    return found == object.end() ? none : *found;
}

TokenizerConfig readTokenizerConfig(const fs::path& folder)
{
    const json config = parsedJson(folder / "tokenizer_config.json");
    const fs::path mapFile = folder / "special_tokens_map.json";
    const json map = contract::hasEntry(mapFile) ? parsedJson(mapFile) : json::object();

    TokenizerConfig result;
    result.className = contentOf(member(config, "tokenizer_class"));
    if (result.className.ends_with("Fast"))
        result.className.resize(result.className.size() - 4);
    result.addedTokens = addedTokensOf(folder, config);
    result.padToken = tokenNamed("pad_token", config, map);
    result.beginToken = tokenNamed("bos_token", config, map);
    result.endToken = tokenNamed("eos_token", config, map);
    result.unknownToken = tokenNamed("unk_token", config, map);
    for (const json* file : {&config, &map}) {
        for (const char* list : {"additional_special_tokens", "extra_special_tokens"}) {
            const json& tokens = member(*file, list);
            for (const json& token : tokens.is_array() ? tokens : json::array())
                result.specialTokens.push_back(contentOf(token));
        }
    }
    if (const json& count = member(config, "extra_ids"); count.is_number_integer() && count >= 0 && count <= 1000)
        result.extraIds = count.get<std::int64_t>();
    return result;
}

}  // namespace engine
