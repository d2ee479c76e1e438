import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import SessionService

@Suite("G-10: refreshes that follow each other at once")
struct RapidRefreshesTests {
    private func id(_ key: Int64) throws -> SessionID { try #require(SessionID(key: key)) }

    private let start = Timestamp(milliseconds: 1_000_000)

    @Test("a session's exchanges are counted for a minute; another session is not affected")
    func window() throws {
        let refreshes = RapidRefreshes(exchangesMax: 2)
        let (one, other) = (try id(1), try id(2))
        for second in 0..<2 {
            #expect(refreshes.wait(of: one, at: start) == nil)
            refreshes.count(one, at: start + .seconds(second))
        }
        #expect(refreshes.wait(of: one, at: start + .seconds(20)) == .seconds(40))
        #expect(refreshes.wait(of: other, at: start + .seconds(20)) == nil)
        #expect(refreshes.wait(of: one, at: start + .seconds(60)) == nil)
    }

    @Test("a clock that was set back ends the window")
    func setBack() throws {
        let refreshes = RapidRefreshes(exchangesMax: 1)
        let one = try id(1)
        refreshes.count(one, at: start)
        #expect(refreshes.wait(of: one, at: start) != nil)
        #expect(refreshes.wait(of: one, at: start - .seconds(1)) == nil)
    }
}
