import Testing

@testable import RPC

@Suite("Keepalive pings")
struct KeepAliveTests {
    @Test("Protos/README.md, Connection 3: an idle peer is pinged and closed 20 s after the ping")
    func gone() {
        var keepAlive = KeepAlive(at: .zero, floor: .seconds(10))
        #expect(keepAlive.look(at: .seconds(29)) == .wait)
        #expect(!keepAlive.isPinged)
        #expect(keepAlive.look(at: .seconds(30)) == .ping)
        #expect(keepAlive.isPinged)
        #expect(keepAlive.due == .seconds(50))
        #expect(keepAlive.look(at: .seconds(49)) == .wait)
        #expect(keepAlive.look(at: .seconds(50)) == .close)
    }

    @Test("anything received counts as a sign of life", arguments: [false, true])
    func alive(isAfterPing: Bool) {
        var keepAlive = KeepAlive(at: .zero, floor: .zero)
        if isAfterPing { #expect(keepAlive.look(at: .seconds(30)) == .ping) }
        keepAlive.received()
        #expect(keepAlive.look(at: .seconds(50)) == .wait)
        #expect(!keepAlive.isPinged)
        #expect(keepAlive.due == .seconds(80))
        #expect(keepAlive.look(at: .seconds(80)) == .ping)
    }

    @Test("Protos/README.md, Connection 3: pings are never more frequent than the peer accepts")
    func floor() {
        #expect(KeepAlive(at: .seconds(1), floor: .seconds(90)).due == .seconds(91))
        #expect(KeepAlive(at: .seconds(1), floor: .seconds(1)).due == .seconds(31))
    }
}
