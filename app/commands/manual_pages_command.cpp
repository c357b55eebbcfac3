// atelier manual-pages: writes the manual pages, from the texts that --help prints. For the build, which installs them.
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/version.h"
#include "engine/contract/formats/output_file.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace app {
namespace {

/// @p text for the roff language: its own characters lose their meaning, and hyphens can be searched and copied.
std::string escaped(const std::string& text)
{
    std::string out;
    for (const char character : text) {
        if (character == '\\')
            out += "\\e";
        else if (character == '-')
            out += "\\-";
        else if ((character == '.' || character == '\'') && (out.empty() || out.back() == '\n'))
            out.append("\\&").append(1, character);
        else
            out += character;
    }
    return out;
}

/// Paragraph breaks for empty lines, and lines of their own for the others.
std::string paragraphs(const std::string& text)
{
    std::string out;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line = text.substr(begin, end - begin);
        out += line.empty() ? ".PP\n" : escaped(line) + "\n";
        begin = end + 1;
    }
    return out;
}

std::string nameOf(const CLI::App& command)
{
    return command.get_parent() ? nameOf(*command.get_parent()) + " " + command.get_name() : command.get_name();
}

std::vector<const CLI::App*> commandsOf(const CLI::App& app)
{
    return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

/// Everything that can be given to a command; and of its subcommands, whose headings are one level lower.
std::string optionsText(const CLI::App& command)
{
    const auto formatter = std::dynamic_pointer_cast<CLI::Formatter>(command.get_formatter());
    std::string text;
    for (const bool isPositional : {true, false}) {
        for (const CLI::Option* option : command.get_options([](const CLI::Option* each) { return !each->get_group().empty(); })) {
            if (option->get_positional() != isPositional)
                continue;
            text += ".TP\n.B " + escaped(option->get_name(isPositional, !isPositional));
            text += isPositional ? "\n" : escaped(formatter->make_option_opts(option)) + "\n";
            text += paragraphs(option->get_description());
        }
    }
    return text;
}

std::string synopsis(const CLI::App& command)
{
    std::string text = ".B " + escaped(nameOf(command)) + "\n";
    for (const CLI::Option* option : command.get_options([](const CLI::Option* each) { return each->get_positional(); })) {
        const std::string name = option->get_name(true) + (option->get_expected_max() > 1 ? "..." : "");
        text += escaped(option->get_required() ? name : "[" + name + "]") + "\n";
    }
    return text + "[OPTIONS]\n" + (commandsOf(command).empty() ? "" : "[COMMAND]\n");
}

std::string title(const std::string& name) { return ".TH \"" + escaped(name) + "\" 1 \"\" \"Atelier " + std::string(kVersion) + "\" \"Atelier\"\n"; }

std::string subcommandsText(const CLI::App& command)
{
    std::string text;
    for (const CLI::App* each : commandsOf(command)) {
        text += ".SS " + escaped(each->get_name()) + "\n" + paragraphs(each->get_description()) + ".PP\n" + synopsis(*each) + optionsText(*each)
            + subcommandsText(*each) + (each->get_footer().empty() ? "" : ".PP\n" + paragraphs(each->get_footer()));
    }
    return text;
}

std::string pageOfCommand(const CLI::App& command)
{
    std::string text = title("atelier-" + command.get_name()) + ".SH NAME\natelier\\-" + escaped(command.get_name()) + " \\- "
        + escaped(command.get_description()) + "\n.SH SYNOPSIS\n" + synopsis(command) + ".SH OPTIONS\n" + optionsText(command);
    if (const std::string commands = subcommandsText(command); !commands.empty())
        text += ".SH COMMANDS\n" + commands;
    if (!command.get_footer().empty())
        text += ".SH NOTES\n" + paragraphs(command.get_footer());
    return text + ".SH SEE ALSO\n.BR atelier (1)\n";
}

std::string mainPage(const CLI::App& app)
{
    std::string text = title("atelier") + ".SH NAME\natelier \\- workbench for training diffusion models\n.SH SYNOPSIS\n" + synopsis(app)
        + ".SH DESCRIPTION\n" + paragraphs(app.get_description()) + ".SH OPTIONS\n" + optionsText(app) + ".SH COMMANDS\n";
    for (const CLI::App* command : commandsOf(app))
        text += ".TP\n.BR atelier\\-" + escaped(command->get_name()) + " (1)\n" + paragraphs(command->get_description());
    return text + ".SH EXIT STATUS\n0 success, 1 failure, 2 wrong usage, 130 killed by a second Ctrl+C.\n.SH ENVIRONMENT\n.TP\n.B ATELIER_HOME\n"
                  "The folder of the database and the runs; otherwise\n.I $XDG_DATA_HOME/atelier\n.SH NOTES\n"
        + paragraphs(app.get_footer());
}

}  // namespace

void addManualPagesCommand(CLI::App& app, Action& action)
{
    const auto folder = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand("manual-pages", "Write the manual pages")->group("");
    command->add_option("DIR", *folder, "Folder for atelier.1, atelier-run.1 …")->required();
    command->callback([folder, &app, &action] {
        action = [folder, &app] {
            const std::filesystem::path place = *folder;
            std::filesystem::create_directories(place);
            contract::writeFileAtomically(place / "atelier.1", mainPage(app));
            for (const CLI::App* each : commandsOf(app))
                contract::writeFileAtomically(place / ("atelier-" + each->get_name() + ".1"), pageOfCommand(*each));
            return kSuccess;
        };
    });
}

}  // namespace app
