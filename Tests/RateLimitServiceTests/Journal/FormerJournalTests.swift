import FoundationEssentials
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-06: files that an earlier version wrote are read", .timeLimit(.minutes(1)))
struct FormerJournalTests {
    /// The limits that the earlier version charged and how often, one charge every 61 seconds.
    private static let charges: [(limit: UInt16, count: Int)] = [(1, 7), (4, 2), (5, 3), (3, 4)]

    /// Written before states were updated in place: a window with a block, an escalating delay and
    /// a lockout.
    private static let snapshot = """
        5053544e4a524e4c0100000000000000000000000000000028000000000000006\
        9a35996979e281d696c747c9f601517686c747c9f6015170068e5cf8b01000005\
        0004020300030090dc0100000000005053544e4a524e4c0100000000000000010\
        00000000000002800000000000000bd82a16cea42c95454f029fde5e6dd7855f0\
        29fde5e6dd780068e5cf8b010000040003020200000048ee0000000000005053544e\
        4a524e4c010000000000000002000000000000003800000000000000eeb6d1ec5d\
        080611157c4a7fb979379e147c4a7fb979379e0068e5cf8b0100000100010700000\
        00048ee000090dc0100d8ca020020b9030068a70400b09505005053544e4a524e4c\
        010000000000000003000000000000000000000000000000bc257cce4d72d55d
        """

    /// The log after the snapshot, with a rate.
    private static let log = """
        5053544e4a524e4c01000000000000000000000000000000200000000000000098\
        d66b3de8c9cb2f3f74df7d2c6da6da3e74df7d2c6da6da7037e8cf8b0100000300\
        0201d7010000
        """

    @Test("R-06: they restore the same states and can be continued")
    func read() throws {
        let folder = try TemporaryFolder()
        try Self.write(Self.snapshot, folder.file("limits.snapshot.1"))
        try Self.write(Self.log, folder.file("limits.log.1"))
        let expected = try JournaledTable(try TemporaryFolder())
        for (limit, count) in Self.charges {
            for step in 0..<count { Self.charge(expected, limit, step) }
        }
        let fixture = try JournaledTable(folder)
        #expect(fixture.contents == expected.contents)
        #expect(fixture.contents.count == 4)
        for (limit, count) in Self.charges {
            let verdict = Self.charge(fixture, limit, count)
            #expect(verdict == Self.charge(expected, limit, count))
        }
        fixture.table.close()
        let next = try JournaledTable(folder)
        #expect(next.contents == expected.contents)
        next.table.close()
        expected.table.close()
    }

    @discardableResult
    private static func charge(_ fixture: JournaledTable, _ limit: UInt16, _ step: Int)
        -> LimitVerdict
    {
        let high = UInt64(limit) &* 0x9E37_79B9_7F4A_7C15
        let request = LimitRequest(
            key: LimitKey(limit: limit, high: high, low: high ^ 1),
            rule: TrafficOfLimits.counting[Int(limit)], isShadow: false)
        return fixture.table.apply(.consume, request, at: JournaledTable.now + .seconds(step * 61))
    }

    private static func write(_ hex: String, _ path: String) throws {
        var bytes: [UInt8] = []
        var rest = Substring(hex)
        while let byte = UInt8(rest.prefix(2), radix: 16) {
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        try #require(rest.isEmpty)
        try Data(bytes).write(to: URL(filePath: path))
    }
}
