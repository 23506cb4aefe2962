import Testing

@testable import Unattended

@Suite("Time tables of cron")
struct CronExpressionTests {
    @Test(
        "they mean the same as events of systemd's calendar",
        arguments: [
            ("*/15 * * * *", ["*-*-* *:00/15"]), ("17 4 * * *", ["*-*-* 04:17"]),
            ("0 3 * * 1-5", ["Mon..Fri *-*-* 03:00"]), ("0 3 * * sun", ["Sun *-*-* 03:00"]),
            ("0 3 * * 7", ["Sun *-*-* 03:00"]), ("0 3 * * 6,0", ["Sat,Sun *-*-* 03:00"]),
            ("0 0 13 * 5", ["Fri *-*-* 00:00", "*-*-13 00:00"]), ("0 0 */2 * 5", ["Fri *-*-01/2 00:00"]),
            ("5,35 8-18 * jan,Jul *", ["*-01,07-* 08..18:05,35"]), ("@daily", ["*-*-* 00:00"]),
            ("@reboot", []), ("*/7 * * * *", ["*-*-* *:00/7"]),
            (
                "1-59/2 * * * *",
                ["*-*-* *:01,03,05,07,09,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,43,45,47,49,51,53,55,57,59"]
            ),
            ("* * * * *", ["*-*-* *:*"]), ("0 0 29 2 *", ["*-02-29 00:00"]), ("0 0 1 1 *", ["*-01-01 00:00"]),
        ])
    func calendar(_ text: String, _ expected: [String]) throws {
        #expect(try CronExpression(text).calendarEvents == expected)
    }

    @Test(
        "what is none is refused with its field",
        arguments: [
            ("", "0 fields"), ("* * * *", "4 fields"), ("60 * * * *", "minute has '60'"),
            ("* 24 * * *", "hour has '24'"),
            ("* * 0 * *", "day of the month has '0'"), ("* * * foo *", "month has 'foo'"),
            ("* * * * 8", "day of the week has '8'"), ("5-3 * * * *", "ends before it begins"),
            ("*/0 * * * *", "step '0'"), ("*/x * * * *", "step 'x'"), ("0 0 30 2 *", "no such day"),
            ("@never", "none of @reboot"), (", * * * *", "minute has ''"), ("-1 * * * *", "minute has ''"),
            ("9223372036854775808 * * * *", "minute has"), ("1-2-3 * * * *", "minute has '2-3'"),
        ])
    func faults(_ text: String, _ words: String) {
        #expect {
            try CronExpression(text)
        } throws: { error in
            (error as? CronExpression.Fault)?.message.contains(words) == true
        }
    }
}
