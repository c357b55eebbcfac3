// Prints texts that are translated as they are, as lupdate finds them in a source file: of all options their labels, help, units, choices
// and groups, and what ready experiments are about.
#include "engine/contract/experiment/options.h"
#include "launcher/home/ready_experiments.h"

#include <cstdio>
#include <set>
#include <string>

namespace {

void print(std::string_view text)
{
    static std::set<std::string, std::less<>> printed;
    if (text.empty() || !printed.emplace(text).second)
        return;
    std::string literal;
    for (const char character : text) {
        if (character == '"' || character == '\\')
            literal += '\\';
        literal += character;
    }
    std::printf("QT_TRANSLATE_NOOP(\"fixed\", \"%s\")\n", literal.c_str());
}

}  // namespace

int main()
{
    for (const contract::Option& option : contract::options()) {
        print(contract::groupLabel(option.group()));
        print(option.label);
        print(option.help);
        print(option.unit);
        for (const std::string_view choice : option.choices)
            print(contract::choiceLabel(option, choice));
    }
    for (const launcher::ReadyExperiment& experiment : launcher::readyExperiments())
        print(experiment.about);
}
