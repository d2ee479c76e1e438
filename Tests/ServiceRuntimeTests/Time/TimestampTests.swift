import ServiceRuntime
import Testing

@Suite("Timestamp: saturating arithmetic")
struct TimestampTests {
    @Test(
        "a date of HTTP is written and read the same, up to the last second of year 9999",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ])
    func internetDates(seconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: seconds * 1_000).internetDate(zone: "GMT") == text)
        #expect(Timestamp(httpDate: text)?.seconds == seconds)
    }

    @Test(
        "a sum out of range saturates",
        arguments: [
            (Int64.max, Duration.milliseconds(1), Int64.max),
            (Int64.min, .milliseconds(-1), .min),
            (Int64.max, .milliseconds(-1), .max - 1),
            (0, .seconds(Int64.max), .max),
            (0, .seconds(Int64.min), .min),
            (0, Duration(attoseconds: .max), .max),
            (0, Duration(attoseconds: .min), .min),
            (5, .zero, 5),
        ] as [(Int64, Duration, Int64)])
    func adding(start: Int64, duration: Duration, end: Int64) {
        #expect((Timestamp(milliseconds: start) + duration).milliseconds == end)
    }

    @Test(
        "a difference out of range saturates",
        arguments: [
            (Int64.min, Duration.milliseconds(1), Int64.min),
            (Int64.max, .milliseconds(-1), .max),
            (0, Duration(attoseconds: .min), .max),
            (0, Duration(attoseconds: .max), .min + 1),
            (-2, Duration(attoseconds: .max), .min),
            (10, .milliseconds(3), 7),
        ] as [(Int64, Duration, Int64)])
    func subtracting(start: Int64, duration: Duration, end: Int64) {
        #expect((Timestamp(milliseconds: start) - duration).milliseconds == end)
    }

    @Test(
        "the difference of two timestamps is a duration, which saturates",
        arguments: [
            (10, 3, Duration.milliseconds(7)), (3, 10, .milliseconds(-7)),
            (Int64.max, Int64.min, .milliseconds(Int64.max)),
            (Int64.min, Int64.max, .milliseconds(Int64.min)),
        ] as [(Int64, Int64, Duration)])
    func gap(left: Int64, right: Int64, gap: Duration) {
        #expect(Timestamp(milliseconds: left) - Timestamp(milliseconds: right) == gap)
    }

    @Test(
        "seconds are rounded down",
        arguments: [
            (0, 0), (999, 0), (1_000, 1), (-1, -1), (-1_000, -1), (-1_001, -2),
            (Int64.min, -9_223_372_036_854_776), (Int64.max, 9_223_372_036_854_775),
        ] as [(Int64, Int64)])
    func seconds(milliseconds: Int64, seconds: Int64) {
        #expect(Timestamp(milliseconds: milliseconds).seconds == seconds)
    }

    @Test("a duration's milliseconds are truncated towards zero")
    func cut() {
        #expect(Duration.microseconds(1_999).milliseconds == 1)
        #expect(Duration.microseconds(-1_999).milliseconds == -1)
    }

    @Test(
        "a timestamp's text is RFC 3339 in UTC",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_799_999, "2000-02-29T23:59:59.999Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (1_767_225_600_250, "2026-01-01T00:00:00.250Z"),
            (1_798_761_599_007, "2026-12-31T23:59:59.007Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func text(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).text == text)
    }

    @Test("the first and the last timestamp have a text too", arguments: [Int64.min, Int64.max])
    func ends(milliseconds: Int64) {
        #expect(Timestamp(milliseconds: milliseconds).text.hasSuffix("Z"))
    }

    @Test("the system's clocks advance and never go back")
    func system() {
        let time = SystemTime()
        var (moment, uptime) = (time.now(), time.uptime())
        for _ in 0..<1_000 {
            #expect(time.now() >= moment)
            #expect(time.uptime() >= uptime)
            (moment, uptime) = (time.now(), time.uptime())
        }
    }
}
