// bench_report [--json] FILE …: the results of several benchmark programs as one table or document.
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>

namespace {

using nlohmann::json;

std::string processorName()
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name"))
            return line.substr(line.find(':') + 2);
    return "unknown";
}

json describeMachine()
{
    const auto bytes = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
    return {{"cpu", processorName()}, {"cores", std::thread::hardware_concurrency()},
        {"memory_gib", static_cast<int>(bytes / (1024.0 * 1024 * 1024) + 0.5)}};
}

std::string text(const json& row, const char* key) { return row.at(key).get<std::string>(); }

/// A peer that was not measured is null.
std::string number(const json& row, const char* key)
{
    if (!row.contains(key) || !row.at(key).is_number())
        return "-";
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.4g", row.at(key).get<double>());
    return digits;
}

void printTable(const json& document)
{
    const json& machine = document.at("machine");
    std::printf("%s, %d cores, %d GiB\n\n", text(machine, "cpu").c_str(), machine.at("cores").get<int>(),
        machine.at("memory_gib").get<int>());
    const char* format = "%-10s %-22s %-14s %11s %-9s %11s %-12s %7s\n";
    std::printf(format, "bench", "case", "figure", "ours", "unit", "peer", "which", "ratio");
    for (const json& row : document.at("rows"))
        std::printf(format, text(row, "bench").c_str(), text(row, "case").c_str(), text(row, "figure").c_str(),
            number(row, "ours").c_str(), text(row, "unit").c_str(), number(row, "peer").c_str(),
            text(row, "peer_name").c_str(), number(row, "ratio").c_str());
}

}  // namespace

int main(int count, char** arguments)
{
    bool isJson = false;
    json document {{"machine", describeMachine()}, {"rows", json::array()}};
    for (int i = 1; i < count; ++i) {
        if (std::strcmp(arguments[i], "--json") == 0) {
            isJson = true;
            continue;
        }
        try {
            std::ifstream file(arguments[i]);
            const json result = json::parse(file);
            for (const json& row : result.at("rows"))
                document["rows"].push_back(row);
        } catch (const std::exception& error) {
            std::cerr << arguments[i] << " is no benchmark's result: " << error.what() << '\n';
            return 1;
        }
    }
    if (isJson)
        std::cout << document.dump(2) << '\n';
    else
        printTable(document);
    return 0;
}
