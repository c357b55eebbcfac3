#include "tests/launcher/run_facts.h"

#include "engine/contract/run/journal_parser.h"

#include <fstream>
#include <string>

int recordsWith(const std::filesystem::path& journal, const char* field, const char* text)
{
    std::ifstream stream(journal);
    contract::JournalParser parser;
    int count = 0;
    for (std::string line; std::getline(stream, line);)
        count += parser.parse(line).text(field) == text ? 1 : 0;
    return count;
}
