import HTTPTypes
import Testing

@testable import WebService

@Suite("Ranges of an archive (RFC 9110, 14)")
struct ByteRangeTests {
    private static let tag = EntityTag(ofUnique: "exp_1")

    private func asked(_ range: String?, ifRange: String? = nil) -> ByteRange.Request {
        var fields = HTTPFields()
        fields[.range] = range
        fields[.ifRange] = ifRange
        return ByteRange.Request(fields, tag: Self.tag, length: 100)
    }

    private func part(_ first: Int64, _ count: Int64) -> ByteRange.Request {
        .part(ByteRange(first: first, count: count))
    }

    @Test("one range is served")
    func one() {
        #expect(asked("bytes=0-0") == part(0, 1))
        #expect(asked("bytes=10-19") == part(10, 10))
        #expect(asked("bytes=0-") == part(0, 100))
        #expect(asked("Bytes=10-") == part(10, 90))
        #expect(asked("bytes=90-1000") == part(90, 10))
        #expect(asked("bytes=90-99999999999999999999") == part(90, 10))
        #expect(asked("bytes=-10") == part(90, 10))
        #expect(asked("bytes=-1000") == part(0, 100))
        #expect(ByteRange(first: 90, count: 10).field(ofLength: 100) == "bytes 90-99/100")
    }

    @Test(
        "one behind the end is refused",
        arguments: ["100-", "100-200", "-0", "99999999999999999999-"])
    func behind(range: String) {
        #expect(asked("bytes=\(range)") == .unsatisfiable)
    }

    @Test(
        "what is no single range of bytes is ignored",
        arguments: [
            nil, "", "bytes", "bytes=", "bytes=-", "bytes=5-1", "bytes=a-b", "bytes=0-1,5-6",
            "items=0-1", "bytes=0--1", "bytes=+1-2", "bytes=1 0-19", "bytes=10-1 9", "bytes= 1-2",
        ])
    func ignored(range: String?) {
        #expect(asked(range) == .whole)
    }

    @Test("a part of another version is not served")
    func version() {
        #expect(asked("bytes=1-2", ifRange: Self.tag.text) == part(1, 2))
        #expect(asked("bytes=1-2", ifRange: "\"exp_2\"") == .whole)
        #expect(asked("bytes=1-2", ifRange: "W/\(Self.tag.text)") == .whole, "a weak tag is none")
        #expect(asked("bytes=100-", ifRange: "\"exp_2\"") == .whole)
        #expect(asked("bytes=1-2", ifRange: "Wed, 21 Oct 2026 07:28:00 GMT") == .whole)
    }
}
