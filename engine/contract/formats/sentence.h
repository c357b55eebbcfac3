// Turns an errno into one sentence that names the file and says what to do.
#pragma once
#include <filesystem>
#include <string>

namespace contract {

/// "/data/runs cannot be written: Permission denied; check its owner and permissions".
/// @param verb past participle: "written", "created"
/// @param cause an errno value
std::string cannotBe(const std::string& verb, const std::filesystem::path& what, int cause);

}  // namespace contract
