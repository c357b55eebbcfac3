// atelier notify
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "launcher/supervisor/webhook.h"

#include <QCoreApplication>
#include <QUrl>

#include <memory>

namespace app {
namespace {

struct NotifyRequest {
    std::string url;
    bool isOff = false;
    bool isTest = false;
    bool isJson = false;
};

void sendTest(const std::string& url)
{
    int argumentCount = 1;
    char name[] = "atelier";
    char* arguments[] = {name, nullptr};
    QCoreApplication application(argumentCount, arguments);
    launcher::WebhookSender sender;
    std::string problem;
    sender.send(url, {.run = "test", .name = "A test of Atelier's notices", .state = "finished", .cause = {}, .step = 0}, [&](const std::string& said) {
        problem = said;
        QCoreApplication::quit();
    });
    QCoreApplication::exec();
    if (!problem.empty())
        throw Failure("notify: " + problem);
}

ExitCode notify(const NotifyRequest& request)
{
    const auto home = launcher::DataHome::locate();
    try {
        if (request.isOff)
            launcher::setWebhook(home, {});
        else if (!request.url.empty())
            launcher::setWebhook(home, request.url);
    } catch (const std::runtime_error& error) {
        throw Failure(std::string("notify: ") + error.what(), request.isOff ? kFailed : kWrongUsage);
    }
    const std::string url = launcher::webhook(home);
    if (request.isTest) {
        if (url.empty())
            throw Failure("notify: there is no web address to test; give one", kWrongUsage);
        sendTest(url);
    }
    // Most addresses are as good as a password: the host is enough to know them by.
    const std::string host = QUrl(QString::fromStdString(url)).host().toStdString();
    if (request.isJson)
        printJson({{"host", url.empty() ? Json(nullptr) : Json(host)}});
    else if (request.isTest)
        printText("The test was accepted.\n");
    else if (url.empty())
        printText("No web address is told when a run finishes, fails or hangs, or the queue cannot go on.\n");
    else
        printText("An address at " + host + " is told when a run finishes, fails or hangs, or the queue cannot go on.\n");
    return kSuccess;
}

}  // namespace

void addNotifyCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<NotifyRequest>();
    CLI::App* command = app.add_subcommand("notify", "Choose a web address (Slack, Discord, ntfy, your own) that is told when a run finishes, fails or hangs, or the queue cannot go on");
    command->add_option("URL", request->url, "The address; without one, says which is told");
    CLI::Option* const test = command->add_flag("--test", request->isTest, "Send a test to it");
    command->add_flag("--off", request->isOff, "Tell none")->excludes(test);
    command->add_flag("--json", request->isJson, "Print one JSON document: the host of the address that is told");
    command->callback([request, &action] { action = [request] { return notify(*request); }; });
}

}  // namespace app
