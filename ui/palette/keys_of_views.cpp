#include "ui/palette/keys_of_views.h"

#include <QCoreApplication>

namespace ui {
namespace {

struct KeyOfView {
    const char* text;
    const char* key;
    const char* help;
};

QString words(const char* text) { return QCoreApplication::translate("ui::KeysOfViews", text); }

// clang-format off
constexpr KeyOfView kKeysOfViews[] = {
    {QT_TRANSLATE_NOOP("ui::KeysOfViews", "Picture: alone"), QT_TRANSLATE_NOOP("ui::KeysOfViews", "Space"), QT_TRANSLATE_NOOP("ui::KeysOfViews", "Show the sample or training image in the whole view, and the grid again")},
    {QT_TRANSLATE_NOOP("ui::KeysOfViews", "Picture: 100 %"), "1", QT_TRANSLATE_NOOP("ui::KeysOfViews", "Each pixel as one of the screen's")},
    {QT_TRANSLATE_NOOP("ui::KeysOfViews", "Picture: move"), QT_TRANSLATE_NOOP("ui::KeysOfViews", "← → ↑ ↓ Home End"), QT_TRANSLATE_NOOP("ui::KeysOfViews", "While it is larger than the view; else, and with Ctrl, go to another picture")},
    {QT_TRANSLATE_NOOP("ui::KeysOfViews", "Samples: rounds"), "R", QT_TRANSLATE_NOOP("ui::KeysOfViews", "The best and worst of rounds, or what the model draws")},
    {QT_TRANSLATE_NOOP("ui::KeysOfViews", "Samples: two runs"), "B", QT_TRANSLATE_NOOP("ui::KeysOfViews", "Another run's sample of the same prompt beside this one")},
    {QT_TRANSLATE_NOOP("ui::KeysOfViews", "Data: mask"), "M", QT_TRANSLATE_NOOP("ui::KeysOfViews", "Dim what the mask leaves out")},
    {QT_TRANSLATE_NOOP("ui::KeysOfViews", "Log: this moment"), QT_TRANSLATE_NOOP("ui::KeysOfViews", "Return"), QT_TRANSLATE_NOOP("ui::KeysOfViews", "Pin the time of the line in all views")},
    {QT_TRANSLATE_NOOP("ui::KeysOfViews", "Runs: draw"), QT_TRANSLATE_NOOP("ui::KeysOfViews", "Space"), QT_TRANSLATE_NOOP("ui::KeysOfViews", "Draw the selected runs, or no longer")},
    {QT_TRANSLATE_NOOP("ui::KeysOfViews", "Table: menu"), QT_TRANSLATE_NOOP("ui::KeysOfViews", "Shift+F10"), QT_TRANSLATE_NOOP("ui::KeysOfViews", "What can be done with the current row; the Menu key does the same")},
    {QT_TRANSLATE_NOOP("ui::KeysOfViews", "Text: leave"), QT_TRANSLATE_NOOP("ui::KeysOfViews", "Tab"), QT_TRANSLATE_NOOP("ui::KeysOfViews", "In every field, also where several lines can be typed")},
};
// clang-format on

}  // namespace

QList<FixedKey> keysOfViews()
{
    QList<FixedKey> keys;
    for (const KeyOfView& each : kKeysOfViews)
        keys.append({words(each.text), words(each.key), words(each.help)});
    return keys;
}

}  // namespace ui
