import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import SessionService

@Suite("G-10: refreshes that follow each other at once")
struct RapidRefreshesTests {
    private func id(_ key: Int64) throws -> SessionID { try #require(SessionID(key: key)) }

    private let start = Timestamp(milliseconds: 1_000_000)

    @Test("a session's refreshes are counted for a minute; another session is not affected")
    func window() throws {
        let refreshes = RapidRefreshes()
        let (one, other) = (try id(1), try id(2))
        for _ in 0..<RapidRefreshes.recordedMax {
            #expect(refreshes.recordsNext(of: one, at: start))
            refreshes.count(one, at: start)
        }
        #expect(!refreshes.recordsNext(of: one, at: start + .seconds(59)))
        #expect(refreshes.recordsNext(of: other, at: start + .seconds(59)))
        #expect(refreshes.recordsNext(of: one, at: start + .seconds(60)))
    }

    @Test("a clock that was set back ends the window")
    func setBack() throws {
        let refreshes = RapidRefreshes()
        for _ in 0..<RapidRefreshes.recordedMax { refreshes.count(try id(1), at: start) }
        #expect(refreshes.recordsNext(of: try id(1), at: start - .seconds(1)))
    }
}
