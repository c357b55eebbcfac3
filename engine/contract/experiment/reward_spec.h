// The rewards of a run: the text of reward.functions, parsed.
//
// [Note: reward.functions]
// Rewards with commas between them, each a name and, after a colon, its weight: "jpeg_size:-1, program:./score.sh:0.5,
// http://127.0.0.1:8000/score:2, aesthetic.pt". Names are those of built-in rewards, "program:" and a path, the URL of a server, "judge:"
// and the URL of a vision-language model's chat completions, "clip:" or "aesthetic:" and the folder of a CLIP model, or the path of a .pt
// or .pt2 file. What follows the last colon is the weight unless it has a slash; without one it is 1. Weights may be negative; a reward of
// weight 0 is journalled, but not trained on. A name with commas, colons or quotes stands in quotes of either kind:
// "'program:./score, v2.sh':0.5". A URL has a path, so that its port is not taken for a weight: http://127.0.0.1:8000/
//
// Before the names of programs, servers, judges and .pt and .pt2 files may stand "group:" or "pairs:", see RewardScope:
// "pairs:judge:http://127.0.0.1:8000/v1/chat/completions".
#pragma once
#include "engine/contract/experiment/experiment.h"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace contract {

inline constexpr std::string_view kRewardFunctions = "reward.functions";
inline constexpr std::string_view kAestheticHead = "aesthetic.safetensors";  ///< in the folder of a CLIP model, for RewardKind::Aesthetic

enum class RewardKind {
    BuiltIn,
    Program,    ///< speaks JSON lines over a pipe
    Server,     ///< speaks the same JSON by HTTP
    Judge,      ///< a vision-language model behind a server
    Clip,       ///< a CLIP model with both towers, such as PickScore
    Aesthetic,  ///< a head on the features of a CLIP model's image tower
    Script,     ///< TorchScript, .pt
    Package     ///< AOTInductor, .pt2
};

/// What a scorer looks at.
enum class RewardScope {
    Sample,  ///< each sample alone
    Group,   ///< all samples of a prompt at once
    Pairs    ///< pairs of samples of a prompt; a sample's score is how often it wins
};

struct RewardSpec {
    RewardKind kind = RewardKind::BuiltIn;
    RewardScope scope = RewardScope::Sample;
    std::string target;  ///< the built-in reward's name, the path, or the URL
    double weight = 1;
    std::string key;     ///< short name for metrics: letters, digits, '.', '_' and '-'; unique among the rewards of a run
};

/// Whether the target of such rewards is the path of a file; otherwise it is a name, a URL, or a folder.
constexpr bool isFile(RewardKind kind) { return kind == RewardKind::Program || kind == RewardKind::Script || kind == RewardKind::Package; }

/// Whether such rewards can have another scope than RewardScope::Sample.
constexpr bool comparesSamples(RewardKind kind) { return isFile(kind) || kind == RewardKind::Server || kind == RewardKind::Judge; }

/// Whether the target of such rewards is the folder of a CLIP model.
constexpr bool isClipFolder(RewardKind kind) { return kind == RewardKind::Clip || kind == RewardKind::Aesthetic; }

/// The names of built-in rewards.
std::span<const std::string_view> builtInRewards();

/// Parses reward.functions; an empty text has no rewards. On a mistake returns nullopt and sets @p problem. Looks at no file.
std::optional<std::vector<RewardSpec>> parseRewards(std::string_view functions, Problem& problem);

/// What prevents training on @p functions: mistakes in the text, no reward at all, files or folders that are missing or cannot be used,
/// a judge without @p judgeModel, the value of reward.judge_model.
std::vector<Problem> problemsOfRewards(std::string_view functions, std::string_view judgeModel = {});

/// @p functions with relative paths resolved against @p folder; unchanged when it cannot be parsed.
std::string withAbsoluteRewardPaths(std::string_view functions, const std::filesystem::path& folder);

}  // namespace contract
