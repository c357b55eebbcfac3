#include "engine/contract/experiment/reward_spec.h"

#include "engine/contract/formats/clip_folder.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/text.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace contract {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kProgram = "program:", kJudge = "judge:", kClip = "clip:", kAesthetic = "aesthetic:";
constexpr std::pair<std::string_view, RewardScope> kScopes[] = {{"group:", RewardScope::Group}, {"pairs:", RewardScope::Pairs}};
constexpr std::string_view kBuiltIn[] = {"blueness", "brightness", "greenness", "jpeg_size", "jpeg_size_up", "redness"};
constexpr std::size_t kMostRewards = 64;

Problem problemWith(const std::string& sentence) { return {std::string(kRewardFunctions), std::string(kRewardFunctions) + ": " + sentence, 0}; }

/// One reward as it is written.
struct Item {
    std::string_view name;                   ///< without quotes
    std::optional<std::string_view> weight;  ///< the text after its colon
};

/// Removes the text before the next comma from @p rest and returns it.
std::string_view takeToComma(std::string_view& rest)
{
    const std::string_view taken = rest.substr(0, rest.find(','));
    rest.remove_prefix(taken.size());
    return trimmed(taken);
}

/// Takes an item that begins with quotes from @p rest. On a mistake returns nullopt and sets @p problem.
std::optional<Item> takeQuoted(std::string_view& rest, Problem& problem)
{
    const std::size_t close = rest.find(rest.front(), 1);
    if (close == std::string_view::npos) {
        problem = problemWith("the quotes before " + quotedText(rest.substr(1)) + " are not closed");
        return std::nullopt;
    }
    Item item {.name = rest.substr(1, close - 1), .weight = {}};
    rest.remove_prefix(close + 1);
    const std::string_view tail = takeToComma(rest);
    if (!tail.empty() && tail.front() != ':') {
        problem = problemWith("after the quotes of " + quotedText(item.name) + " must come a colon and the weight, or a comma, not "
            + quotedText(tail));
        return std::nullopt;
    }
    if (!tail.empty())
        item.weight = trimmed(tail.substr(1));
    return item;
}

/// The same for an item without quotes.
std::optional<Item> takeBare(std::string_view& rest, Problem& problem)
{
    const std::string_view written = takeToComma(rest);
    if (written.find_first_of("'\"") != std::string_view::npos) {
        problem = problemWith("quotes in " + quotedText(written) + ": they must enclose the whole name, as in 'program:./score, v2.sh':0.5");
        return std::nullopt;
    }
    std::size_t prefix = 0;
    for (const auto& [known, scope] : kScopes)
        prefix += written.starts_with(known) ? known.size() : 0;
    const std::string_view scoped = written.substr(prefix);
    for (const std::string_view known : {kProgram, kJudge, kClip, kAesthetic})
        prefix += scoped.starts_with(known) ? known.size() : 0;
    const std::size_t colon = written.rfind(':');
    const bool hasWeight = colon != std::string_view::npos && colon >= prefix && written.find('/', colon) == std::string_view::npos;
    if (!hasWeight)
        return Item {.name = written, .weight = {}};
    return Item {.name = trimmed(written.substr(0, colon)), .weight = trimmed(written.substr(colon + 1))};
}

bool isUrl(std::string_view name) { return name.starts_with("http://") || name.starts_with("https://"); }

std::string unknownName(std::string_view name)
{
    std::string sentence = "there is no reward " + quotedText(name);
    const auto edits = [&](std::string_view known) { return editDistance(name.substr(0, 100), known); };
    const std::string_view nearest = *std::ranges::min_element(kBuiltIn, {}, edits);
    if (edits(nearest) <= nearest.size() / 3)
        return sentence + "; did you mean " + std::string(nearest) + "?";
    sentence += "; there are";
    for (const std::string_view known : kBuiltIn)
        sentence.append(" ").append(known).append(",");
    return sentence + " program:PATH, http://HOST:PORT/PATH, judge:URL, clip:FOLDER, aesthetic:FOLDER, and paths of .pt and .pt2 files; "
                      "group: and pairs: may stand before those that compare samples";
}

/// What is wrong with the name of a server; empty when nothing is.
std::string problemOfUrl(std::string_view url)
{
    const std::size_t host = url.find("//") + 2;
    const std::size_t path = std::min(url.find('/', host), url.size());
    if (path == host || url[host] == ':')
        return "the URL " + quotedText(url) + " names no host";
    if (path == url.size())
        return "the URL " + quotedText(url) + " has no path: write at least a slash after the host and port, as in http://127.0.0.1:8000/";
    if (url.substr(host, path - host).find('@') != std::string_view::npos)
        return "the URL " + quotedText(url) + " has a user name or a password, which runs would store; use a server without";
    if (std::ranges::any_of(url, [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; }))
        return "the URL " + quotedText(url) + " has spaces or control characters: write them as %20 and the like";
    return {};
}

/// Sets kind and target of @p spec from its name without its scope. Returns what is wrong with the name; empty when nothing is.
std::string readTarget(std::string_view name, RewardSpec& spec)
{
    spec.target = name;
    if (name.starts_with(kProgram)) {
        spec.kind = RewardKind::Program;
        spec.target = trimmed(name.substr(kProgram.size()));
        return spec.target.empty() ? "after program: must come the path of a program" : std::string();
    }
    for (const auto& [prefix, kind] : {std::pair(kClip, RewardKind::Clip), std::pair(kAesthetic, RewardKind::Aesthetic)}) {
        if (!name.starts_with(prefix))
            continue;
        spec.kind = kind;
        spec.target = trimmed(name.substr(prefix.size()));
        return spec.target.empty() ? "after " + std::string(prefix) + " must come the folder of a CLIP model" : std::string();
    }
    const bool isJudge = name.starts_with(kJudge);
    if (const std::string_view url = isJudge ? trimmed(name.substr(kJudge.size())) : name; isJudge || isUrl(url)) {
        spec.kind = isJudge ? RewardKind::Judge : RewardKind::Server;
        spec.target = url;
        return isUrl(url) ? problemOfUrl(url) : "after judge: must come a URL, as in judge:http://127.0.0.1:8000/v1/chat/completions";
    }
    if (name.ends_with(".pt") || name.ends_with(".pt2")) {
        spec.kind = name.ends_with(".pt") ? RewardKind::Script : RewardKind::Package;
        return {};
    }
    if (name.empty())
        return "a reward has no name: write rewards with single commas between them, as in jpeg_size:1, program:./score.sh:0.5";
    return std::ranges::find(kBuiltIn, name) == std::end(kBuiltIn) ? unknownName(name) : std::string();
}

/// Sets scope, kind and target of @p spec from its name. Returns what is wrong with the name; empty when nothing is.
std::string readName(std::string_view name, RewardSpec& spec)
{
    std::string_view prefix;
    for (const auto& [known, scope] : kScopes) {
        if (name.starts_with(known)) {
            prefix = known;
            spec.scope = scope;
        }
    }
    const std::string_view target = trimmed(name.substr(prefix.size()));
    if (!prefix.empty() && target.empty())
        return "after " + std::string(prefix) + " must come a reward, as in " + std::string(prefix) + "program:./rank.py";
    const std::string sentence = readTarget(target, spec);
    if (sentence.empty() && spec.scope != RewardScope::Sample && !comparesSamples(spec.kind))
        return quotedText(name) + ": this reward scores each sample alone; only programs, servers, judges and .pt and .pt2 files score "
            + (spec.scope == RewardScope::Group ? "groups" : "pairs");
    return sentence;
}

/// Built-in rewards keep their names; a file's is its name without the ending, a folder's its name, a server's its host and path.
std::string keyOf(const RewardSpec& spec)
{
    std::string key = spec.target;
    if (isFile(spec.kind))
        key = fs::path(key).stem().string();
    else if (spec.kind == RewardKind::Server || spec.kind == RewardKind::Judge)
        key = key.substr(key.find("//") + 2);
    while (key.ends_with('/'))
        key.pop_back();
    if (isClipFolder(spec.kind))
        key = fs::path(key).filename().string();
    std::ranges::replace_if(key, [](char c) {
        const bool isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        return !isLetter && !(c >= '0' && c <= '9') && c != '.' && c != '-' && c != '_';
    }, '_');
    return key.substr(0, 60);
}

void setKey(RewardSpec& spec, const std::vector<RewardSpec>& others)
{
    const std::string key = keyOf(spec);
    spec.key = key;
    for (int number = 2; std::ranges::find(others, spec.key, &RewardSpec::key) != others.end(); ++number)
        spec.key = key + "_" + std::to_string(number);
}

std::optional<RewardSpec> readItem(const Item& item, Problem& problem)
{
    RewardSpec spec;
    if (const std::string sentence = readName(item.name, spec); !sentence.empty()) {
        problem = problemWith(sentence);
        return std::nullopt;
    }
    const std::optional<double> weight = item.weight ? parseReal(*item.weight) : 1.0;
    if (!weight || !std::isfinite(*weight)) {
        problem = problemWith("the weight of " + quotedText(item.name) + " is " + quotedText(*item.weight)
            + ", but must be a finite number; put a name with colons in quotes");
        return std::nullopt;
    }
    spec.weight = *weight;
    return spec;
}

/// What is wrong with the file of @p spec; empty when nothing is.
std::string problemOfFile(const RewardSpec& spec)
{
    std::error_code error;
    if (!fs::exists(spec.target, error))
        return quotedText(spec.target) + ": no such file";
    if (!fs::is_regular_file(spec.target, error))
        return quotedText(spec.target) + ": is not a file";
    const bool isProgram = spec.kind == RewardKind::Program;
    if (::access(spec.target.c_str(), isProgram ? X_OK : R_OK) == 0)
        return {};
    return quotedText(spec.target) + (isProgram ? ": cannot be executed (" : ": cannot be read (") + std::strerror(errno)
        + (isProgram ? "); chmod +x makes it a program" : ")");
}

/// What is wrong with the folder of a CLIP model; empty when nothing is.
std::string problemOfClipFolder(const RewardSpec& spec)
{
    try {
        const fs::path head = openClipFolder(spec.target).root / kAestheticHead;
        if (spec.kind == RewardKind::Aesthetic && !hasEntry(head))
            throw std::runtime_error(head.string() + ": is missing; it must hold the linear layers that give the score");
        return {};
    } catch (const std::exception& error) {
        return escapedBytes(sentenceOf(error));
    }
}

}  // namespace

std::span<const std::string_view> builtInRewards() { return kBuiltIn; }

std::optional<std::vector<RewardSpec>> parseRewards(std::string_view functions, Problem& problem)
{
    std::vector<RewardSpec> specs;
    std::string_view rest = trimmed(functions);
    while (!rest.empty()) {
        const bool isQuoted = rest.front() == '\'' || rest.front() == '"';
        const std::optional<Item> item = isQuoted ? takeQuoted(rest, problem) : takeBare(rest, problem);
        std::optional<RewardSpec> spec = item ? readItem(*item, problem) : std::nullopt;
        if (!spec)
            return std::nullopt;
        const auto isSame = [&](const RewardSpec& other) {
            return other.kind == spec->kind && other.scope == spec->scope && other.target == spec->target;
        };
        if (std::ranges::any_of(specs, isSame) || specs.size() == kMostRewards) {
            problem = problemWith(specs.size() == kMostRewards
                    ? "there are more than " + std::to_string(kMostRewards) + " rewards"
                    : quotedText(item->name) + " is there twice; give it once, with one weight");
            return std::nullopt;
        }
        setKey(*spec, specs);
        specs.push_back(std::move(*spec));
        const bool hasMore = !rest.empty();  // a comma
        rest = trimmed(rest.substr(hasMore ? 1 : 0));
        if (hasMore && rest.empty()) {
            problem = problemWith("nothing comes after the last comma");
            return std::nullopt;
        }
    }
    return specs;
}

std::vector<Problem> problemsOfRewards(std::string_view functions, std::string_view judgeModel)
{
    Problem problem;
    const std::optional<std::vector<RewardSpec>> specs = parseRewards(functions, problem);
    if (!specs)
        return {problem};
    if (specs->empty())
        return {{std::string(kRewardFunctions), std::string(kRewardFunctions) + " is not set: give at least one reward to train by, as in jpeg_size:1", 0}};
    std::vector<Problem> problems;
    for (const RewardSpec& spec : *specs) {
        const std::string sentence = isFile(spec.kind) ? problemOfFile(spec)
            : isClipFolder(spec.kind)                  ? problemOfClipFolder(spec)
                                                       : std::string();
        if (!sentence.empty())
            problems.push_back(problemWith(sentence));
    }
    if (judgeModel.empty() && std::ranges::find(*specs, RewardKind::Judge, &RewardSpec::kind) != specs->end())
        problems.push_back({"reward.judge_model",
            "reward.judge_model is not set: give the name under which the judge's server knows its model", 0});
    if (std::ranges::all_of(*specs, [](const RewardSpec& spec) { return spec.weight == 0; }))
        problems.push_back(problemWith("all weights are 0, so that there is nothing to train on; give one reward another weight"));
    return problems;
}

std::string withAbsoluteRewardPaths(std::string_view functions, const fs::path& folder)
{
    Problem ignored;
    const std::optional<std::vector<RewardSpec>> specs = parseRewards(functions, ignored);
    if (!specs)
        return std::string(functions);
    std::string text;
    for (const RewardSpec& spec : *specs) {
        const bool isPath = isFile(spec.kind) || isClipFolder(spec.kind);
        std::string name = isPath ? (folder / spec.target).lexically_normal().string() : spec.target;
        if (spec.kind == RewardKind::Program)
            name.insert(0, kProgram);
        else if (spec.kind == RewardKind::Judge)
            name.insert(0, kJudge);
        else if (spec.kind == RewardKind::Clip)
            name.insert(0, kClip);
        else if (spec.kind == RewardKind::Aesthetic)
            name.insert(0, kAesthetic);
        for (const auto& [prefix, scope] : kScopes)
            name.insert(0, spec.scope == scope ? prefix : "");
        const char quote = name.find('\'') == std::string::npos ? '\'' : '"';
        const bool needsQuotes = name.find_first_of(",'\" \t\r\n") != std::string::npos;
        if (needsQuotes && name.find(quote) != std::string::npos)
            return std::string(functions);
        text += (text.empty() ? "" : ", ") + (needsQuotes ? quote + name + quote : name) + ":" + shortestText(spec.weight);
    }
    return text;
}

}  // namespace contract
