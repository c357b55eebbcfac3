// Where golden cases lie, and which of them each test takes.
#pragma once
#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tests {

/// "algorithms" or "models" of $ATELIER_GOLDENS or else of this tree; it may be absent in the former.
std::filesystem::path goldensFolder(const std::string& half);

/// What a case of goldens/models is about. Every kind has a test, which takes all of its cases.
enum class CaseKind { Adapter, Autoencoder, Clip, Pipeline, TextEncoder, Tokenizer, Training, Transformer };

/// @param json of case.json. @return none for a class that no test knows
std::optional<CaseKind> caseKind(const nlohmann::json& json);

/// Everything that lies in goldens/models as a folder, known or not; in order.
std::vector<std::filesystem::path> modelFolders();

/// Those that are cases of this kind.
std::vector<std::filesystem::path> modelCases(CaseKind kind);

/// case.json of a case's folder.
nlohmann::json caseJson(const std::filesystem::path& folder);

}  // namespace tests
