#include "ui/plot/group_menu.h"

#include "engine/contract/experiment/options.h"
#include "ui/plot/group_names.h"

#include <QInputDialog>
#include <QRegularExpression>

#include <algorithm>

namespace ui {

GroupMenu::GroupMenu(PlotViewState& viewState, QWidget* window)
    : QMenu(window)
    , m_viewState(viewState)
{
    setObjectName(QStringLiteral("groupMenu"));
    connect(this, &QMenu::aboutToShow, this, &GroupMenu::fill);
    fill();
}

void GroupMenu::fill()
{
    using By = Grouping::By;
    clear();
    Grouping grouping = m_viewState.grouping();
    const auto addBy = [&](By by, const std::string& option = {}) {
        grouping.by = by;
        grouping.option = option;
        addChoice(groupingName(grouping), grouping);
    };
    addBy(By::Nothing);
    addSection(tr("One line, the mean, for:"));
    addBy(By::Run);
    addBy(By::Repeats);
    addBy(By::Project);
    addBy(By::Tags);
    addSection(tr("An option"));
    std::vector<std::string> keys = m_differing;
    const Grouping& present = m_viewState.grouping();
    if (present.by == By::Option && std::ranges::find(keys, present.option) == keys.end())
        keys.push_back(present.option);
    for (const std::string& key : keys)
        addBy(By::Option, key);
    addAction(tr("Another option…"), this, &GroupMenu::askOption);
    addSection(tr("Around the mean"));
    grouping = present;
    for (const Grouping::Band band : {Grouping::Band::MinMax, Grouping::Band::Deviation}) {
        grouping.band = band;
        addChoice(bandName(band), grouping);
    }
    addSeparator();
    addAction(tr("Options that repeats may differ in…"), this, &GroupMenu::askIgnored);
}

QAction* GroupMenu::addChoice(const QString& text, const Grouping& grouping)
{
    QAction* const choice = addAction(text, this, [this, grouping] { m_viewState.setGrouping(grouping); });
    choice->setCheckable(true);
    choice->setChecked(grouping == m_viewState.grouping());
    return choice;
}

void GroupMenu::askOption()
{
    QStringList keys;
    for (const contract::Option& option : contract::options())
        keys << QString::fromUtf8(option.key.data(), qsizetype(option.key.size()));
    auto* dialog = new QInputDialog(parentWidget());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Group runs"));
    dialog->setLabelText(tr("Runs with the same value of this option become one line:"));
    dialog->setComboBoxItems(keys);
    dialog->setComboBoxEditable(true);
    connect(dialog, &QInputDialog::textValueSelected, this, [this](const QString& key) {
        Grouping grouping = m_viewState.grouping();
        grouping.by = Grouping::By::Option;
        grouping.option = key.trimmed().toStdString();
        if (!grouping.option.empty())
            m_viewState.setGrouping(grouping);
    });
    dialog->open();
}

void GroupMenu::askIgnored()
{
    QStringList patterns;
    for (const std::string& pattern : m_viewState.grouping().ignored)
        patterns << QString::fromStdString(pattern);
    auto* dialog = new QInputDialog(parentWidget());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Group repeats"));
    dialog->setLabelText(tr("Runs that differ in nothing but these options become one line; * stands for any characters:"));
    dialog->setTextValue(patterns.join(QStringLiteral(", ")));
    connect(dialog, &QInputDialog::textValueSelected, this, [this](const QString& text) {
        static const QRegularExpression separators(QStringLiteral("[,\\s]+"));
        Grouping grouping = m_viewState.grouping();
        grouping.by = Grouping::By::Repeats;
        grouping.ignored.clear();
        for (const QString& pattern : text.split(separators, Qt::SkipEmptyParts))
            grouping.ignored.push_back(pattern.toStdString());
        m_viewState.setGrouping(grouping);
    });
    dialog->open();
}

}  // namespace ui
