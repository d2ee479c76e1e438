import ServiceRuntime
import Testing

@Suite("A day of the calendar")
struct CalendarDateTests {
    @Test(
        "a date is a day that exists, written as in RFC 3339",
        arguments: [
            ("2013-01-31", 2013, 1, 31), ("1912-02-29", 1912, 2, 29), ("2000-02-29", 2000, 2, 29),
            ("0001-01-01", 1, 1, 1), ("9999-12-31", 9999, 12, 31), ("1969-12-31", 1969, 12, 31),
        ])
    func parsed(text: String, year: Int, month: Int, day: Int) throws {
        let date = try #require(CalendarDate(text: text))
        #expect([date.year, date.month, date.day] == [year, month, day])
        #expect(CalendarDate(year: year, month: month, day: day) == date)
    }

    @Test(
        "a day that does not exist and any other text are no date",
        arguments: [
            "1900-02-29", "2013-02-29", "2013-04-31", "2013-13-01", "2013-00-01", "2013-01-00",
            "2013-1-31", "31.01.2013", "2013-01-31T00:00:00Z", "0000-01-01", "", "-013-01-31",
            "２０１３-01-31", "2013-01-31\n", "20130131", "2013-\u{301}01-31", "+013-01-31",
        ])
    func refused(text: String) {
        #expect(CalendarDate(text: text) == nil)
    }

    @Test("the date of each moment of a day is that day, from the year 1 to 9999")
    func ofMoment() throws {
        #expect(CalendarDate(of: Timestamp(milliseconds: -1)) == CalendarDate(text: "1969-12-31"))
        #expect(CalendarDate(of: Timestamp(milliseconds: 0)) == CalendarDate(text: "1970-01-01"))
        let end = try #require(Timestamp(date: "9999-12-31")) + .seconds(86_400)
        #expect(CalendarDate(of: end - .milliseconds(1)) == CalendarDate(text: "9999-12-31"))
        #expect(CalendarDate(of: end) == nil)
        // 0001-01-01 is day -719,162.
        let start = Timestamp(milliseconds: -719_162 * 86_400_000)
        #expect(CalendarDate(of: start) == CalendarDate(text: "0001-01-01"))
        #expect(CalendarDate(of: start - .milliseconds(1)) == nil)
        #expect(CalendarDate(of: Timestamp(milliseconds: .min)) == nil)
    }

    @Test("a day before 1970 is no timestamp")
    func before1970() {
        #expect(Timestamp(date: "1969-12-31") == nil)
        #expect(Timestamp(year: 1969, month: 12, day: 31) == nil)
        #expect(Timestamp(date: "1970-01-01") == Timestamp(milliseconds: 0))
    }
}
