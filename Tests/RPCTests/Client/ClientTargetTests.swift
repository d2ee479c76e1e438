import NIOCore
import ServiceRuntime
import Testing

@testable import RPC

/// Figures that tests over real sockets need.
enum ClientTargetFigures {
    /// Shortest time between two look-ups of one name.
    static let lookUpFloor = ClientTarget.lookUpFloor
}

@Suite("Resolution of a configured name, with manual time")
struct ClientTargetTests {
    private let start = Duration.seconds(1_000)

    private func target() throws -> ClientTarget {
        ClientTarget(try #require(ServiceAddress("x.test:1")))
    }

    private func addresses(_ ports: Int...) throws -> [SocketAddress] {
        try ports.map { try SocketAddress(ipAddress: "127.0.0.1", port: $0) }
    }

    @Test("a name without addresses says why, for the errors of calls")
    func unresolved() throws {
        var target = try target()
        #expect(target.unresolved?.text == "not resolved yet")
        let error = SystemResolver.Unresolved(description: "Name or service not known")
        _ = target.answered([], error: error, jitter: 200)
        #expect(target.unresolved?.address == "x.test:1")
        #expect(target.unresolved?.text == "cannot be resolved: Name or service not known")
        _ = target.answered(try addresses(1), jitter: 200)
        #expect(target.unresolved == nil)
    }

    @Test("one look-up runs at a time, with at least a second between successful ones")
    func floor() throws {
        var target = try target()
        #expect(target.startsLookUp(at: start) == true)
        #expect(target.startsLookUp(at: start + .seconds(60)) == false)
        #expect(target.answered(try addresses(1), jitter: 200) == nil)
        #expect(target.startsLookUp(at: start + .milliseconds(999)) == false)
        #expect(target.startsLookUp(at: start + .seconds(1)) == true)
    }

    @Test("a failed look-up keeps the last addresses, or backs off if there are none")
    func failing() throws {
        var target = try target()
        #expect(target.startsLookUp(at: start) == true)
        #expect(target.answered([], jitter: 200) == .milliseconds(100))
        #expect(target.startsLookUp(at: start) == true)
        #expect(target.answered([], jitter: 200) == .milliseconds(160))
        #expect(target.startsLookUp(at: start) == true)
        #expect(target.answered(try addresses(1, 2), jitter: 200) == nil)
        #expect(target.startsLookUp(at: start + .seconds(1)) == true)
        #expect(target.answered([], jitter: 200) == nil)
        #expect(target.resolved == (try addresses(1, 2)))
        #expect(target.unresolved == nil)
        target.forget()
        #expect(target.startsLookUp(at: start + .seconds(1)) == true)
    }
}
