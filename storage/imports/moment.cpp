#include "storage/imports/moment.h"

#include "engine/contract/formats/text.h"

#include <chrono>
#include <cstdio>
#include <string_view>

namespace storage {

double unixSecondsOf(const std::string& text)
{
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, end = 0, zoneHour = 0, zoneMinute = 0;
    double second = 0;
    if (std::sscanf(text.c_str(), "%4d-%2d-%2d%*1[T ]%2d:%2d:%n", &year, &month, &day, &hour, &minute, &end) != 5 || end == 0)
        return 0;
    const std::size_t zone = text.find_first_not_of("0123456789.", static_cast<std::size_t>(end));
    second = contract::parseReal(std::string_view(text).substr(static_cast<std::size_t>(end), zone == std::string::npos ? zone : zone - static_cast<std::size_t>(end))).value_or(0);
    if (zone != std::string::npos && (text[zone] == '+' || text[zone] == '-')
        && std::sscanf(text.c_str() + zone + 1, "%2d:%2d", &zoneHour, &zoneMinute) >= 1 && text[zone] == '-')
        zoneHour = -zoneHour, zoneMinute = -zoneMinute;
    const std::chrono::year_month_day date(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)), std::chrono::day(static_cast<unsigned>(day)));
    if (!date.ok())
        return 0;
    const auto days = std::chrono::sys_days(date).time_since_epoch().count();
    return (static_cast<double>(days) * 24 + hour - zoneHour) * 3600 + (minute - zoneMinute) * 60 + second;
}

}  // namespace storage
