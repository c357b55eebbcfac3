// Failures of the system as sentences that name the thing and say what to do.
#pragma once
#include <filesystem>
#include <string>

namespace launcher {

/// "/data/runs cannot be written: Permission denied; check who owns it and its rights".
/// @param verb past participle: "written", "created"
/// @param cause an errno value
std::string cannotBe(const std::string& verb, const std::filesystem::path& what, int cause);

}  // namespace launcher
